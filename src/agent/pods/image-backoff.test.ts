import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { ImageBackoff } from "./image-backoff.ts";

describe("ImageBackoff", () => {
  it("waits ten seconds, then twice as long, by the wall clock of the one who asks", async () => {
    const clock = new FakeClock();
    const images = new ImageBackoff(clock);
    assert.equal(images.failed("app", "no"), clock.now() + 10_000);
    await clock.step(9_999);
    assert.deepEqual(images.waiting("app"), { untilMs: clock.now() + 1, text: "no" });
    await clock.step(1);
    assert.equal(images.waiting("app"), undefined);
    assert.equal(images.failed("app", "no"), clock.now() + 20_000);
  });

  it("does not wait longer because the clock was set back, nor shorter because it was set forward", async () => {
    for (const jumpMs of [-3_600_000, 3_600_000]) {
      const clock = new FakeClock();
      const images = new ImageBackoff(clock);
      images.failed("app", "no");
      const now = clock.now.bind(clock);
      clock.now = () => now() + jumpMs;
      await clock.step(9_000);
      assert.deepEqual(images.waiting("app"), { untilMs: clock.now() + 1_000, text: "no" });
      await clock.step(1_000);
      assert.equal(images.waiting("app"), undefined);
    }
  });
});
