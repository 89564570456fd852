// What the volumes of this node look like to a machine.

import type { Metrics } from "../../base/metrics.ts";
import type { VolumeState } from "./actual-state.ts";

export interface VolumeMetrics {
  moved(plugin: string, from: VolumeState | undefined, to: VolumeState | undefined): void;
  /** An attempt failed. */
  failed(plugin: string): void;
  /** One more, or one less, volume shows something older than it should, or nothing. */
  failing(plugin: string, by: 1 | -1): void;
  /** What was there was replaced by something else, in one step. */
  swapped(plugin: string): void;
  propagated(seconds: number): void;
}

export function volumeMetrics(metrics: Metrics): VolumeMetrics {
  const volumes = metrics.gauge({
    name: "driftless_agent_volumes",
    help: "Volumes on this node, by plugin and by whether they are certainly there.",
    labels: ["plugin", "state"],
  });
  const failures = metrics.counter({
    name: "driftless_agent_volume_failures_total",
    help: "Attempts to set up, refresh or remove a volume that failed.",
    labels: ["plugin"],
  });
  const failing = metrics.gauge({
    name: "driftless_agent_volumes_failing",
    help: "Volumes whose last attempt failed: they show something older than they should, or nothing.",
    labels: ["plugin"],
  });
  const swaps = metrics.counter({
    name: "driftless_agent_volume_swaps_total",
    help: "Volumes whose content was replaced by a newer one.",
    labels: ["plugin"],
  });
  const propagation = metrics.histogram({
    name: "driftless_agent_propagation_seconds",
    help: "From hearing of a changed object until a volume shows it.",
    // The promise is milliseconds; the tail is where retries are.
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 5, 30, 120],
  });
  return {
    moved(plugin, from, to) {
      if (from === to) return;
      if (from) volumes.add(-1, { plugin, state: from });
      if (to) volumes.add(1, { plugin, state: to });
    },
    failed: (plugin) => failures.inc({ plugin }),
    failing: (plugin, by) => failing.add(by, { plugin }),
    swapped: (plugin) => swaps.inc({ plugin }),
    propagated: (seconds) => propagation.observe(seconds),
  };
}
