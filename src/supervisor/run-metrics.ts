// What a supervisor counts.

import type { Counter, Gauge, Metrics } from "../base/metrics.ts";

export type StartReason = "first" | "change" | "back" | "crash";
export type RefusalReason = "gate" | "not-ready" | "not-started";

export interface RunMetrics {
  readonly starts: Counter<"reason">;
  readonly reloads: Counter<"result">;
  readonly refusals: Counter<"reason">;
  readonly isUp: Gauge;
  readonly isReady: Gauge;
  readonly isCurrent: Gauge;
}

export function runMetrics(metrics: Metrics): RunMetrics {
  return {
    starts: metrics.counter({
      name: "driftless_run_starts_total",
      help: "Times the program was started: first, for a change, back to what was good, or after it ended by itself.",
      labels: ["reason"],
    }),
    reloads: metrics.counter({
      name: "driftless_run_reloads_total",
      help: "Times the running program was told of changed files.",
      labels: ["result"],
    }),
    refusals: metrics.counter({
      name: "driftless_run_refused_versions_total",
      help: "Versions that were not kept: the gate spoke against them, or the program did not start or become ready with them.",
      labels: ["reason"],
    }),
    isUp: metrics.gauge({ name: "driftless_run_up", help: "1 while the program runs." }),
    isReady: metrics.gauge({
      name: "driftless_run_ready",
      help: "1 while the program runs and was ready with what it has.",
    }),
    isCurrent: metrics.gauge({
      name: "driftless_run_current",
      help: "1 while the program has the newest version of everything; 0 on a fallback, or on the way to it.",
    }),
  };
}
