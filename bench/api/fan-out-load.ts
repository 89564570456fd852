// One update at a time, and when each watcher hears of it.

import { performance } from "node:perf_hooks";
import { HttpConnection } from "./http-connection.ts";
import type { FanOut, FanOutJob } from "./jobs.ts";
import { Latencies } from "./latencies.ts";
import { RequestBytes } from "./request-bytes.ts";
import { WatchConnections } from "./watch-connections.ts";

/** After the last update of the flood; what has not come by then is missed. */
const PATIENCE_MS = 10_000;

/** Different from those of all other jobs: no update repeats what is there. */
let number = 500_000_000;

export async function fanOutLoad(job: FanOutJob): Promise<FanOut> {
  const counter = new EventCounter();
  const names = Array.from({ length: job.watchers }, (_, i) => nameOf(job, i));
  const watches = new WatchConnections({
    ...job,
    names,
    resumesSessions: true,
    onEvent: (_, atMs) => counter.count(atMs),
  });
  const writer = new HttpConnection(job.target);
  try {
    await watches.open();
    await writer.open();
    const measured = await singleUpdates(job, writer, counter);
    return { ...measured, ...(await flood(job, writer, counter)) };
  } finally {
    watches.close();
    writer.close();
  }
}

function nameOf({ prefix, scope }: FanOutJob, i: number): string {
  return `${prefix}-${scope === "one" ? 0 : i}`;
}

async function singleUpdates(
  job: FanOutJob,
  writer: HttpConnection,
  counter: EventCounter,
): Promise<Omit<FanOut, "floodEventsPerSecond" | "missed">> {
  const afterSend = new Latencies();
  const afterAck = new Latencies();
  const eventsPerUpdate = job.scope === "one" ? job.watchers : 1;
  const warmUps = Math.ceil(job.updates / 5);
  for (let i = 0; i < warmUps + job.updates; i++) {
    const name = nameOf(job, (i * 7919) % job.watchers);
    const request = new RequestBytes({ ...job, name, operation: "update" }).numbered(number++);
    const all = counter.expect(eventsPerUpdate);
    const sentMs = performance.now();
    const acked = written(writer, request);
    const [times, ackMs] = await Promise.all([all, acked]);
    if (i < warmUps) continue;
    for (const atMs of times) {
      afterSend.add(atMs - sentMs);
      afterAck.add(Math.max(0, atMs - ackMs));
    }
  }
  const [p50Ms = 0, p99Ms = 0, maxMs = 0] = afterSend.at(0.5, 0.99, 1);
  const [afterAckP50Ms = 0, afterAckP99Ms = 0] = afterAck.at(0.5, 0.99);
  return { p50Ms, p99Ms, maxMs, afterAckP50Ms, afterAckP99Ms };
}

async function flood(
  job: FanOutJob,
  writer: HttpConnection,
  counter: EventCounter,
): Promise<Pick<FanOut, "floodEventsPerSecond" | "missed">> {
  const startedMs = performance.now();
  const before = counter.total;
  const request = new RequestBytes({ ...job, name: nameOf(job, 0), operation: "update" });
  let expected = 0;
  while (performance.now() - startedMs < job.floodMs) {
    await written(writer, request.numbered(number++));
    expected += job.scope === "one" ? job.watchers : 1;
  }
  await counter.reached(before + expected, PATIENCE_MS);
  const seconds = (counter.lastMs - startedMs) / 1000;
  const seen = counter.total - before;
  return {
    floodEventsPerSecond: expected === 0 ? 0 : seen / seconds,
    missed: expected - seen,
  };
}

async function written(writer: HttpConnection, request: Buffer): Promise<number> {
  const status = await writer.exchange(request);
  if (status !== 200) throw new Error(`Cannot update: the server answers ${status}`);
  return performance.now();
}

class EventCounter {
  total = 0;
  lastMs = 0;
  #times: number[] = [];
  #wanted = 0;
  #resolve: ((times: readonly number[]) => void) | undefined;
  #target = Number.POSITIVE_INFINITY;
  #onTarget: (() => void) | undefined;

  count(atMs: number): void {
    this.total++;
    this.lastMs = atMs;
    if (this.#resolve !== undefined && this.#times.push(atMs) === this.#wanted) {
      const resolve = this.#resolve;
      this.#resolve = undefined;
      resolve(this.#times);
    }
    if (this.total >= this.#target) this.#onTarget?.();
  }

  /** The times of the next events. */
  expect(events: number): Promise<readonly number[]> {
    this.#wanted = events;
    this.#times = [];
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Resolves with so many events, or after a time. */
  reached(total: number, timeoutMs: number): Promise<void> {
    if (this.total >= total) return Promise.resolve();
    return new Promise((resolve) => {
      this.#target = total;
      const timer = setTimeout(resolve, timeoutMs);
      this.#onTarget = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
