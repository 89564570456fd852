import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { CaptureLogger } from "../base/testing/capture-logger.ts";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { MemoryGiver } from "./give-back-memory.ts";

describe("MemoryGiver", () => {
  it("gives back once after each time of work, when it is quiet", async () => {
    const clock = new FakeClock();
    let times = 0;
    const giveBack = (): number => ++times;
    using giver = new MemoryGiver({ clock, logger: new CaptureLogger(), giveBack });
    giver.noteWork();
    await clock.step(9000);
    giver.noteWork();
    await clock.step(9000);
    equal(times, 0);
    await clock.step(1000);
    equal(times, 1);
    await clock.step(3_600_000);
    equal(times, 1);
    giver.noteWork();
    await clock.step(10_000);
    equal(times, 2);
  });

  it("goes on when the kernel says no", async () => {
    const clock = new FakeClock();
    const logger = new CaptureLogger();
    const giveBack = (): number => {
      throw new Error("EPERM");
    };
    using giver = new MemoryGiver({ clock, logger, giveBack });
    giver.noteWork();
    await clock.step(10_000);
    deepEqual(
      logger.records.map(({ level, message }) => [level, message]),
      [["debug", "memory cannot be given back"]],
    );
  });

  it("does nothing more once it is disposed", async () => {
    const clock = new FakeClock();
    let times = 0;
    const giver = new MemoryGiver({ clock, logger: new CaptureLogger(), giveBack: () => ++times });
    giver.noteWork();
    giver[Symbol.dispose]();
    await clock.step(60_000);
    equal(times, 0);
  });
});
