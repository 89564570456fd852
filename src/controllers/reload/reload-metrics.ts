// What the reload controller counts. Made once per process, since controllers are made anew each time that they lead.

import type { Metrics } from "../../base/metrics.ts";

export interface ReloadMetrics {
  /** A workload was restarted, found to need none, told to wait, or could not be restarted yet. */
  restart(result: "restarted" | "current" | "held" | "impossible" | "failed"): void;
  pending(count: number): void;
}

export const noReloadMetrics: ReloadMetrics = {
  restart: () => undefined,
  pending: () => undefined,
};

export function reloadMetrics(metrics: Metrics): ReloadMetrics {
  const restarts = metrics.counter({
    name: "driftless_reload_restarts_total",
    help: "Workloads whose configuration changed, by what came of it.",
    labels: ["result"],
  });
  const pending = metrics.gauge({
    name: "driftless_reload_pending",
    help: "Workloads whose configuration has changed and that are not dealt with yet.",
  });
  for (const result of ["restarted", "current", "held", "impossible", "failed"]) {
    restarts.add(0, { result });
  }
  pending.set(0);
  return {
    restart: (result) => restarts.inc({ result }),
    pending: (count) => pending.set(count),
  };
}
