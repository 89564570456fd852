// The numbers of a sidecar: how often, how it went, and since when.

import type { Counter, Gauge, Metrics } from "../../base/metrics.ts";

/** What a sidecar tells in numbers. Times are of the wall clock. */
export interface SidecarMetrics {
  /** result: published, unchanged, rejected, failed. */
  readonly publishes: Counter<"result">;
  /** result: succeeded, failed. Tries. */
  readonly reloads: Counter<"result">;
  /** stage: source, compose, gate, publish, reload. 1 while something is wrong there. */
  readonly problem: Gauge<"stage">;
  readonly publishedAt: Gauge;
  readonly appliedAt: Gauge;
  /** 1 while what the app knows is what is live, and that is what the sources say. */
  readonly upToDate: Gauge;
}

export function createSidecarMetrics(metrics: Metrics): SidecarMetrics {
  return {
    publishes: metrics.counter({
      name: "driftless_sidecar_publishes_total",
      help: "Sets of files that were to go live, by result.",
      labels: ["result"],
    }),
    reloads: metrics.counter({
      name: "driftless_sidecar_reloads_total",
      help: "Times that the app was told, by result.",
      labels: ["result"],
    }),
    problem: metrics.gauge({
      name: "driftless_sidecar_problem",
      help: "1 while something is wrong, by stage: source, compose, gate, publish, reload.",
      labels: ["stage"],
    }),
    publishedAt: metrics.gauge({
      name: "driftless_sidecar_published_timestamp_seconds",
      help: "When the live set of files went live.",
    }),
    appliedAt: metrics.gauge({
      name: "driftless_sidecar_applied_timestamp_seconds",
      help: "When the app was last told with success.",
    }),
    upToDate: metrics.gauge({
      name: "driftless_sidecar_up_to_date",
      help: "1 while the app knows what is live, and that is what the sources say.",
    }),
  };
}
