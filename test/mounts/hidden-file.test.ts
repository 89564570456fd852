// The file that a mount hides may be somebody's: of another container that has the same volume, without the mount.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { MountThread } from "../../src/mounts/mount-thread.ts";
import { MountStand, PLACES } from "./mount-stand.ts";

const isRoot = process.getuid?.() === 0;
const SWAPS = 300;

/** Adds a byte at a time until its input ends, then says how many. */
const appender = `
const { openSync, writeSync, writeFileSync } = require("node:fs");
const fd = openSync(process.argv[1], "a");
let count = 0, isOver = false;
process.stdin.resume().on("end", () => { isOver = true; });
const write = () => {
  for (let i = 0; i < 500; i++) count += writeSync(fd, "x");
  if (isOver) writeFileSync(1, String(count)); else setImmediate(write);
};
write();
`;

describe("the file that a mount hides", { skip: isRoot ? false : "mounts need root here" }, () => {
  it("loses nothing of what others write to it while the mount is replaced", async () => {
    await using stand = await MountStand.start({
      mounts: { "a.conf": "a.conf" },
      first: { "a.conf": "0" },
    });
    const hidden = join(stand.directory, "root", PLACES, "a.conf");
    const { size } = statSync(hidden);
    const child = spawn(process.execPath, ["-e", appender, hidden], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const said = child.stdout.setEncoding("utf8").toArray();
    {
      await using thread = new MountThread(systemClock);
      for (let i = 1; i <= SWAPS; i++) {
        stand.swap({ "a.conf": String(i) });
        await thread.replace(stand.request);
      }
    }
    child.stdin.end();
    await once(child, "exit");
    const written = Number((await said).join(""));
    assert.ok(written > SWAPS, `only ${written} bytes were written`);
    assert.equal(statSync(hidden).size, size + written);
    assert.match(readFileSync(hidden, "latin1"), /^hidden\nx+$/);
    assert.equal(stand.shows("a.conf"), String(SWAPS));
  });
});
