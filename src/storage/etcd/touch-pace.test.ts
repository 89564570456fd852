import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { TouchPace } from "./touch-pace.ts";

describe("TouchPace", () => {
  it("lets the first be at once, and the next ones further and further apart", async () => {
    const clock = new FakeClock();
    const pace = new TouchPace({ clock, logger: new CaptureLogger() });
    const waits: number[] = [];
    for (let i = 0; i < 9; i++) {
      waits.push(pace.waitMs);
      await clock.step(pace.waitMs);
      pace.touched("3.4.23");
    }
    assert.deepEqual(waits, [0, 15, 30, 60, 120, 240, 480, 960, 1000]);
  });

  it("begins again after a quiet time", async () => {
    const clock = new FakeClock();
    const pace = new TouchPace({ clock, logger: new CaptureLogger() });
    for (let i = 0; i < 9; i++) pace.touched("3.4.23");
    await clock.step(10_001);
    assert.equal(pace.waitMs, 0);
    pace.touched("3.4.23");
    assert.equal(pace.waitMs, 15);
  });

  it("warns once, with etcd's version, and not of what happens now and then", async () => {
    const clock = new FakeClock();
    const logger = new CaptureLogger();
    const pace = new TouchPace({ clock, logger });
    for (let i = 0; i < 20; i++) {
      pace.touched("3.4.23");
      await clock.step(20_000);
    }
    assert.equal(logger.records.length, 0);
    for (let i = 0; i < 20; i++) pace.touched("3.4.23");
    assert.equal(logger.records.length, 1);
    assert.equal(logger.records[0]?.fields["version"], "3.4.23");
  });
});
