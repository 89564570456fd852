import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { systemClock } from "../base/clock.ts";
import { identify, isAlive, signalProcess } from "./process-calls.ts";

const skip = process.platform === "linux" ? false : "there is no /proc";

describe("identify", { skip }, () => {
  it("knows a process by number and start, and not one that has ended", async () => {
    const self = identify("self");
    assert.equal(self?.pid, process.pid);
    assert.deepEqual(identify(process.pid), self);
    assert.ok(self && isAlive(self));
    const child = spawn("true");
    await once(child, "exit");
    assert.equal(identify(child.pid ?? 0), undefined);
  });

  it("is not confused by a program's name", async () => {
    const child = spawn(process.execPath, [
      "-e",
      "process.title = ') R 1 ('; console.log(1); setInterval(() => {}, 1000)",
    ]);
    try {
      await once(child.stdout, "data");
      const identity = identify(child.pid ?? 0);
      assert.equal(identity?.pid, child.pid);
      assert.ok((identity?.startTicks ?? 0) >= (identify("self")?.startTicks ?? 0));
    } finally {
      child.kill("SIGKILL");
    }
  });
});

describe("signalProcess", { skip }, () => {
  it("signals the process, but not another one that got its number", async () => {
    const child = spawn("sleep", ["1000"]);
    await once(child, "spawn");
    const identity = identify(child.pid ?? 0);
    assert.ok(identity);
    assert.equal(signalProcess({ ...identity, startTicks: 1 }, constants.signals.SIGKILL), false);
    assert.ok(isAlive(identity));
    const exited = once(child, "exit");
    assert.equal(signalProcess(identity, constants.signals.SIGTERM), true);
    assert.deepEqual(await exited, [null, "SIGTERM"]);
    assert.equal(signalProcess(identity, constants.signals.SIGTERM), false);
  });

  it("reaches a program whose first thread has ended while others run", async () => {
    const libc = JSON.stringify(join(import.meta.dirname, "libc.ts"));
    // exit(2) of the system, number 60 or 93, ends one thread only.
    const script = `import { call } from ${libc};
      const number = process.arch === "x64" ? 60 : 93;
      call("long syscall(long number, int code)", [number, 0], { syscall: "exit" });`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
    try {
      while (!/^State:\tZ/m.test(readFileSync(`/proc/${child.pid}/status`, "utf8"))) {
        await systemClock.sleep(5);
      }
      const identity = identify(child.pid ?? 0);
      assert.ok(identity && isAlive(identity));
      const exited = once(child, "exit");
      assert.equal(signalProcess(identity, constants.signals.SIGKILL), true);
      await exited;
      assert.equal(isAlive(identity), false);
    } finally {
      child.kill("SIGKILL");
    }
  });
});
