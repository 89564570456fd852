// Numbers about telling containers of new content.

import type { Counter, Histogram, Metrics } from "../../base/metrics.ts";

export interface ReloadMetrics {
  readonly reloads: Counter<"action" | "result">;
  readonly seconds: Histogram<"action">;
}

export function reloadMetrics(metrics: Metrics): ReloadMetrics {
  const reloads = metrics.counter({
    name: "driftless_reloads_total",
    help: "Tries to tell a container of new content, by what was done (signal, http, exec) and how it went (success, failure)",
    labels: ["action", "result"],
  });
  for (const action of ["signal", "http", "exec"]) {
    for (const result of ["success", "failure"]) reloads.add(0, { action, result });
  }
  return {
    reloads,
    seconds: metrics.histogram({
      name: "driftless_reload_duration_seconds",
      help: "Time that one try to tell a container of new content took",
      labels: ["action"],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 10, 30],
    }),
  };
}
