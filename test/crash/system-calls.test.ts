// What writes cost, counted in system calls: time would depend on the machine.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { type Built, buildC } from "../support/c-program.ts";
import { scenarioNamed } from "./scenarios.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
let faultAt: Built;

before(async () => {
  faultAt = await buildC(`${HERE}/fault-at.c`);
});

/** The calls of a no-op write of a volume with that many keys. */
function callsOfNoOp(keys: number, memory: "remembered" | "restarted"): string[] {
  assert.ok(faultAt.ok);
  using dir = tempDir();
  const run = (how: string): string => {
    const child = [process.execPath, `${HERE}/no-op-child.ts`, dir.path, String(keys), how];
    return execFileSync(faultAt.ok ? faultAt.path : "", ["list", ...child], { encoding: "utf8" });
  };
  run("remembered");
  return run(memory).trim().split(" ").slice(1);
}

describe("AtomicWriter, counting system calls", () => {
  it("recognises a no-op with the same three calls for 1 key and for 2,000", (t) => {
    if (!faultAt.ok) return t.skip(faultAt.reason);
    for (const keys of [1, 2000]) {
      assert.deepEqual(callsOfNoOp(keys, "remembered"), ["readlink", "statx", "statx"]);
    }
    return undefined;
  });

  it("recognises a no-op after a restart without opening any file but the version record", (t) => {
    if (!faultAt.ok) return t.skip(faultAt.reason);
    const keys = 50;

    const calls = callsOfNoOp(keys, "restarted");

    const count = (name: string): number => calls.filter((call) => call === name).length;
    // The volume's root and the version's directory are listed, the record is read.
    assert.equal(count("openat"), 3, calls.join(" "));
    assert.ok(count("statx") >= keys, "every file is looked at");
    assert.equal(calls.filter((call) => /write|mkdir|rename|symlink|unlink/.test(call)).length, 0);
    return undefined;
  });

  it("Z15 syncs every file, every directory, and the root before and after the commit, if durable", (t) => {
    if (!faultAt.ok) return t.skip(faultAt.reason);
    using dir = tempDir();
    const child = [process.execPath, `${HERE}/crash-child.ts`, dir.path, "durable first write"];

    const printed = execFileSync(faultAt.path, ["list", ...child], {
      encoding: "utf8",
      stdio: "pipe",
    });

    const calls = printed.trim().split(" ").slice(1);
    const { files, directories } = scenarioNamed("durable first write").write;
    const indexes = calls.flatMap((call, index) => (call === "fsync" ? [index] : []));
    // The record and the version's directory come on top of the payload; the root is synced twice.
    assert.equal(indexes.length, files.length + 1 + directories.length + 1 + 2);
    const commit = calls.indexOf("rename");
    assert.equal(indexes.filter((index) => index > commit).length, 1);
    return undefined;
  });
});
