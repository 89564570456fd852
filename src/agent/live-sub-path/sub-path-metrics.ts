// Numbers about sub paths of config volumes in running containers.

import type { Counter, Gauge, Histogram, Metrics } from "../../base/metrics.ts";

export interface SubPathMetrics {
  readonly uses: Gauge<"state">;
  readonly replacements: Counter<"result">;
  readonly seconds: Histogram;
}

export function subPathMetrics(metrics: Metrics): SubPathMetrics {
  return {
    uses: metrics.gauge({
      name: "driftless_subpath_uses",
      help: "Sub paths of config volumes in running containers: live, frozen, behind or absent",
      labels: ["state"],
    }),
    replacements: metrics.counter({
      name: "driftless_subpath_replacements_total",
      help: "Sub paths of changed volumes that were replaced in running containers, or why they were not",
      labels: ["result"],
    }),
    seconds: metrics.histogram({
      name: "driftless_subpath_replacement_seconds",
      help: "Time to replace the sub paths of a changed volume in one container",
      buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 5, 30],
    }),
  };
}
