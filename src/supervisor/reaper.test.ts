import assert from "node:assert/strict";
import { channel } from "node:diagnostics_channel";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { Reaper } from "./reaper.ts";

class Started extends EventEmitter {
  readonly pid: number;

  constructor(pid: number) {
    super();
    this.pid = pid;
  }
}

test("Reaper lets go of strangers, never of a child of Node's, and of those behind it afterwards", async () => {
  const clock = new FakeClock();
  const dead = [5, 7, 6];
  const forgotten: number[] = [];
  using reaper = new Reaper({
    endedChild: () => dead[0],
    forgetChild: (pid) => {
      forgotten.push(pid);
      return dead.splice(dead.indexOf(pid), 1).length > 0;
    },
    clock,
  });
  const own = new Started(7);
  const early = dead.splice(0);
  reaper.start();
  channel("child_process").publish({ process: own });
  dead.push(...early);
  process.emit("SIGCHLD", "SIGCHLD");
  assert.deepEqual(forgotten, [5]);
  dead.shift(); // Node has waited for it …
  own.emit("exit", 0, null); // … and says so.
  await clock.step(20);
  assert.deepEqual(forgotten, [5, 6]);
  assert.equal(reaper.count, 2);
});

test("Reaper leaves nothing behind", () => {
  const clock = new FakeClock();
  const before = process.listenerCount("SIGCHLD");
  const reaper = new Reaper({ endedChild: () => undefined, forgetChild: () => false, clock });
  reaper.start();
  reaper[Symbol.dispose]();
  assert.equal(clock.waiting, 0);
  assert.equal(process.listenerCount("SIGCHLD"), before);
  assert.equal(channel("child_process").hasSubscribers, false);
});
