// Many restarts in one life, also without a container: nothing may grow. (container.test.ts looks closer.)

import assert from "node:assert/strict";
import { renameSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { LONG } from "../support/campaign.ts";
import { RunProcess } from "./run-process.ts";

const restarts = LONG ? 1000 : 30;

test(`run restarts its program ${restarts} times without a leak`, async () => {
  using dir = tempDir();
  dir.write({ "env/N": "0", "files/conf": "0" });
  const change = (name: string, text: string): void => {
    writeFileSync(dir.join("next"), text);
    renameSync(dir.join("next"), dir.join(name));
  };
  const args = ["--env-from", dir.join("env"), "--watch", dir.join("files"), "--min-wait", "0ms"];
  const program = ["sh", "-c", "echo $N; exec sleep 1000", "{snapshot}"];
  await using run = RunProcess.start({ args: [...args, "--gate", "true", "--", ...program] });
  await run.untilPrinted("0");
  const counts: number[] = [];
  for (let n = 1; n <= restarts; n++) {
    change("env/N", String(n));
    if (n % 2 === 0) change("files/conf", String(n));
    await run.untilPrinted(String(n));
    // At the same point of each: when the new program has said that it is there.
    if (n % 5 === 0) counts.push(run.openFiles);
  }
  const [first = 0] = counts;
  // A program that is being started has a few for a moment; what leaks is there in all of the last ones.
  assert.ok(Math.min(...counts.slice(-3)) <= first + 4, `open files: ${counts.join(", ")}`);
  const warnings = run.logged.filter(({ message }) => /warning|leak/i.test(message));
  assert.deepEqual(warnings, []);
  run.signal("SIGTERM");
  assert.equal(await run.exit, 143);
});
