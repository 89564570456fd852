import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { FailedPodsBackoff } from "./failed-pods-backoff.ts";

test("The first failure is dealt with at once, each further one after twice the pause", async () => {
  const clock = new FakeClock();
  const backoff = new FailedPodsBackoff(clock);
  assert.equal(backoff.takeMs("a"), 0);
  for (const pauseMs of [1_000, 2_000, 4_000, 8_000]) {
    assert.equal(backoff.takeMs("a"), pauseMs);
    await clock.step(pauseMs - 1);
    assert.equal(backoff.takeMs("a"), 1);
    await clock.step(1);
    assert.equal(backoff.takeMs("a"), 0);
  }
  assert.equal(backoff.takeMs("b"), 0);
});

test("No pause is longer than a quarter of an hour, and half an hour of peace forgets all", async () => {
  const clock = new FakeClock();
  const backoff = new FailedPodsBackoff(clock);
  for (let i = 0; i < 20; i++) {
    backoff.takeMs("a");
    await clock.step(900_000);
  }
  assert.equal(backoff.takeMs("a"), 0);
  assert.equal(backoff.takeMs("a"), 900_000);
  await clock.step(1_800_001);
  assert.equal(backoff.takeMs("a"), 0);
  assert.equal(backoff.takeMs("a"), 1_000);
});
