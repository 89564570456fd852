// `driftless up` as a user who is not root: everything runs in a user namespace that outlives it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { program, UpDirectory } from "./driftless-up.ts";
import { applyHello, containerOf, helloPod } from "./hello.ts";

const UID = 12_345;

/** Why it cannot be tried here; false if it can. */
function obstacle(): string | false {
  if (process.getuid?.() !== 0) return "needs root, to become somebody else";
  const as = ["--reuid", String(UID), "--regid", String(UID), "--clear-groups", "--"];
  try {
    execFileSync("setpriv", [...as, process.execPath, program, "version"], { stdio: "pipe" });
    const argv = ["unshare", "--user", "--map-root-user", "--mount", "true"];
    execFileSync("setpriv", [...as, ...argv], { stdio: "pipe" });
    return false;
  } catch (err) {
    return `another user cannot run this in a namespace: ${String(err)}`;
  }
}

describe("driftless up without root", { skip: obstacle() }, () => {
  it("runs pods, goes on with them, and ends them with --drain, with files that are its user's", async () => {
    await using directory = new UpDirectory();
    const first = await directory.start({ uid: UID });
    assert.match(first.stdout, /node +\S+ \(without root, /);
    const before = containerOf(await applyHello(first));
    for (const name of readdirSync(directory.path)) {
      assert.equal(lstatSync(join(directory.path, name)).uid, UID, name);
    }
    const stopped = await first.end("SIGINT");
    assert.equal(stopped.code, 0, stopped.stderr);
    assert.match(stopped.stdout, /1 container goes on/);

    const second = await directory.start({ uid: UID, flags: ["--drain"] });
    assert.deepEqual(containerOf(await helloPod(second)), before);
    const drained = await second.end("SIGINT");
    assert.equal(drained.code, 0, drained.stderr);
    assert.match(drained.stdout, /stopped, and 1 container ended/);
    assert.deepEqual(directory.processes, []);
  });
});
