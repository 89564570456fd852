import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { goSeconds, nextBackoffMs, restartDelayMs } from "./restart-backoff.ts";
import { runtimeContainer } from "./testing/runtime-container.ts";

describe("restart back-off", () => {
  it("doubles from nothing over 10 s to 5 min, from container to container", () => {
    const delays: string[] = [];
    let backoffMs = 0;
    for (let attempt = 0; attempt < 8; attempt++) {
      const ended = runtimeContainer("app", { attempt, exitCode: 1, backoffMs });
      delays.push(goSeconds(restartDelayMs(ended)));
      backoffMs = nextBackoffMs(ended, 2000);
    }

    assert.deepEqual(delays, ["0s", "10s", "20s", "40s", "1m20s", "2m40s", "5m0s", "5m0s"]);
  });

  it("begins anew after ten minutes of running", () => {
    const ended = runtimeContainer("app", {
      ...{ attempt: 9, exitCode: 1, backoffMs: 300_000 },
      finishedAtMs: 600_000,
    });

    assert.equal(restartDelayMs(ended), 0);
    assert.equal(nextBackoffMs(ended, 600_000), 10_000);
  });

  it("begins anew after one that ran for ten minutes and is stopped for a failure", () => {
    const running = runtimeContainer("app", { attempt: 5, backoffMs: 160_000 });

    assert.equal(nextBackoffMs(running, 599_999), 300_000);
    assert.equal(nextBackoffMs(running, 600_000), 10_000);
  });

  it("waits no longer than 5 min whatever is noted on a container", () => {
    const noted = (backoffMs: number): number =>
      restartDelayMs(runtimeContainer("app", { exitCode: 1, backoffMs }));

    assert.equal(noted(Number.NaN), 0);
    assert.equal(noted(-5), 0);
    assert.equal(noted(1e12), 300_000);
  });
});
