// What the loops of controllers count: how much waits, how long a turn takes, and what came of it. Bounded: one series per loop and result.

import type { Metrics } from "../base/metrics.ts";

/** done: nothing is left to do for now; again: it wants another look at a time; failed: it is tried again. */
export type TurnResult = "done" | "again" | "failed";

export interface LoopMetrics {
  /** So many keys wait for their turn. */
  depth(loop: string, keys: number): void;
  turn(loop: string, of: { readonly result: TurnResult; readonly seconds: number }): void;
}

/** From "nothing to do" to a turn that waits for a slow server. */
const BUCKETS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];

/** Names are those of client-go's queues where there is an equivalent. To be made once: names can be used once. */
export function loopMetrics(metrics: Metrics): LoopMetrics {
  const depth = metrics.gauge({
    name: "workqueue_depth",
    help: "Keys that wait for their turn, by controller.",
    labels: ["name"],
  });
  const duration = metrics.histogram({
    name: "workqueue_work_duration_seconds",
    help: "How long a turn for one key takes, by controller.",
    labels: ["name"],
    buckets: BUCKETS,
  });
  const turns = metrics.counter({
    name: "driftless_controller_syncs_total",
    help: "Turns of controllers, by what came of them; failed ones are repeated.",
    labels: ["controller", "result"],
  });
  return {
    depth: (name, keys) => depth.set(keys, { name }),
    turn: (name, { result, seconds }) => {
      duration.observe(seconds, { name });
      turns.inc({ controller: name, result });
    },
  };
}
