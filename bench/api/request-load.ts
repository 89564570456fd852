// Clients that each have one request under way, for a time.

import { performance } from "node:perf_hooks";
import { HttpConnection } from "./http-connection.ts";
import type { Load, RequestsJob } from "./jobs.ts";
import { Latencies } from "./latencies.ts";
import { RequestBytes } from "./request-bytes.ts";

/** Goes on over all jobs: no update repeats what is there, no create takes a name twice. */
let number = 0;

export async function requestLoad(job: RequestsJob): Promise<Load> {
  const connections = Array.from({ length: job.clients }, () => new HttpConnection(job.target));
  await Promise.all(connections.map((connection) => connection.open()));
  const latencies = new Latencies();
  const untilMs = performance.now() + job.ms;
  const count = job.count ?? Number.POSITIVE_INFINITY;
  let begun = 0;
  const goesOn = (): boolean => begun++ < count && performance.now() < untilMs;
  try {
    await Promise.all(
      connections.map((connection, i) => client(job, { connection, i, latencies, goesOn })),
    );
    return latencies.load();
  } finally {
    for (const connection of connections) connection.close();
  }
}

interface Client {
  readonly connection: HttpConnection;
  readonly i: number;
  readonly latencies: Latencies;
  /** False when enough has been asked. */
  readonly goesOn: () => boolean;
}

/** Callbacks, not promises: at 10,000 requests a second the difference shows. */
function client(job: RequestsJob, { connection, i, latencies, goesOn }: Client): Promise<void> {
  const { operation, prefix, isShared = false } = job;
  const request = new RequestBytes({ ...job, name: `${prefix}-${isShared ? 0 : i}` });
  const expected = operation === "create" ? 201 : 200;
  return new Promise((resolve, reject) => {
    let sentMs = 0;
    const next = (): void => {
      if (!goesOn()) {
        resolve();
        return;
      }
      sentMs = performance.now();
      connection.send(request.numbered(number++), answered, reject);
    };
    const answered = (status: number): void => {
      if (status !== expected) {
        reject(new Error(`Cannot ${operation}: the server answers ${status}`));
        return;
      }
      latencies.add(performance.now() - sentMs);
      next();
    };
    next();
  });
}
