import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { conflict } from "../api/status-error.ts";
import { createMetrics } from "../base/metrics.ts";
import { CaptureLogger } from "../base/testing/capture-logger.ts";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { Controller, type ControllerOptions } from "./controller.ts";
import { loopMetrics } from "./loop-metrics.ts";

interface Running extends AsyncDisposable {
  readonly controller: Controller;
  readonly clock: FakeClock;
  readonly logger: CaptureLogger;
  stop(): Promise<void>;
}

function run(
  sync: ControllerOptions["sync"],
  more: Partial<Pick<ControllerOptions, "workers" | "synced" | "loops">> = {},
): Running {
  const clock = new FakeClock();
  const logger = new CaptureLogger();
  const random = { next: () => 0, uint32: () => 0 };
  const controller = new Controller({
    ...{ name: "test", workers: 2, synced: () => Promise.resolve(), sync, clock, random, logger },
    ...more,
  });
  const abort = new AbortController();
  const running = controller.run(abort.signal);
  const stop = async (): Promise<void> => {
    abort.abort();
    await running;
  };
  return { controller, clock, logger, stop, [Symbol.asyncDispose]: stop };
}

describe("Controller", () => {
  it("works on nothing before what it reads from is complete", async () => {
    const synced = Promise.withResolvers<void>();
    const seen: string[] = [];
    const sync = async (key: string): Promise<undefined> => void seen.push(key);
    await using running = run(sync, { synced: () => synced.promise });
    running.controller.queue.add("a/x");
    await running.clock.step(60_000);
    assert.deepEqual(seen, []);

    synced.resolve();
    await running.clock.step(0);
    assert.deepEqual(seen, ["a/x"]);
  });

  it("ends although what it reads from never became complete", async () => {
    const running = run(async () => undefined, { synced: () => new Promise<void>(() => {}) });
    await running.stop();
  });

  it("repeats what failed after a pause that grows, and says so", async () => {
    const atMs: number[] = [];
    await using running = run(async () => {
      atMs.push(running.clock.monotonicMs());
      if (atMs.length < 4) throw new Error("not yet");
      return undefined;
    });
    await running.clock.step(0);
    running.controller.queue.add("a/x");
    await running.clock.step(1000);

    assert.deepEqual(atMs, [0, 5, 15, 35]);
    assert.equal(running.controller.queue.failures("a/x"), 0);
    const said = running.logger.records.map(({ level, message }) => [level, message]);
    assert.deepEqual(said, Array(3).fill(["warn", "sync failed"]));
  });

  it("says nothing of a conflict unless it goes on", async () => {
    await using running = run(async () => {
      throw conflict({ group: "", resource: "pods", kind: "Pod" }, "x", "the object was modified");
    });
    running.controller.queue.add("a/x");
    await running.clock.step(5 + 10 + 20);
    assert.ok(running.logger.records.every(({ level }) => level === "debug"));
    await running.clock.step(1000);
    assert.ok(running.logger.records.some(({ level }) => level === "warn"));
  });

  it("looks again when it was told to", async () => {
    const atMs: number[] = [];
    await using running = run(async () => {
      atMs.push(running.clock.monotonicMs());
      return atMs.length === 1 ? 700 : undefined;
    });
    running.controller.queue.add("a/x");
    await running.clock.step(5000);
    assert.deepEqual(atMs, [0, 700]);
  });

  it("has as many keys at work as workers, and never one twice", async () => {
    let at = 0;
    let most = 0;
    const keys = new Set<string>();
    await using running = run(
      async (key, signal) => {
        assert.ok(!keys.has(key));
        keys.add(key);
        most = Math.max(most, ++at);
        running.controller.queue.add("a/1");
        await running.clock.sleep(10, signal);
        at--;
        keys.delete(key);
        return undefined;
      },
      { workers: 3 },
    );
    for (let i = 0; i < 10; i++) running.controller.queue.add(`a/${i}`);
    await running.clock.step(1000);
    assert.equal(most, 3);
  });

  it("ends only when no worker is at work", async () => {
    const finish = Promise.withResolvers<void>();
    const running = run(() => finish.promise.then(() => undefined));
    running.controller.queue.add("a/x");
    await running.clock.step(0);
    let isOver = false;
    const over = running.stop().then(() => {
      isOver = true;
    });
    await running.clock.step(1000);
    assert.equal(isOver, false);
    finish.resolve();
    await over;
  });

  it("counts its turns by what came of them, how long they took, and what waits", async () => {
    const metrics = createMetrics();
    const answers: Record<string, () => Promise<number | undefined>> = {
      "a/done": async () => undefined,
      "a/again": async () => 3_600_000,
      "a/failed": async () => Promise.reject(new Error("no")),
      "a/slow": () => running.clock.sleep(2000).then(() => undefined),
    };
    const sync = async (key: string): Promise<number | undefined> => answers[key]?.();
    await using running = run(sync, { workers: 1, loops: loopMetrics(metrics) });
    for (const key of ["a/done", "a/again", "a/failed", "a/slow", "a/waits"]) {
      running.controller.queue.add(key);
    }
    await running.clock.step(1);
    const text = await metrics.text();
    for (const result of ["done", "again", "failed"]) {
      const name = "driftless_controller_syncs_total";
      assert.ok(text.includes(`${name}{controller="test",result="${result}"} 1\n`), text);
    }
    assert.match(text, /workqueue_depth\{name="test"\} 1\n/);
    await running.clock.step(2000);
    const later = await metrics.text();
    assert.match(later, /workqueue_work_duration_seconds_sum\{name="test"\} 2\n/);
    await running.stop();
    assert.match(await metrics.text(), /workqueue_depth\{name="test"\} 0\n/);
  });
});
