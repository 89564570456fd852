// The figures of the gate.

import type { Counter, Gauge, Metrics } from "../../base/metrics.ts";
import type { RefusalKind } from "../../checks/check-protocol.ts";
import type { Held } from "./gated-object.ts";

export class GateMetrics {
  readonly rejections: Counter<"reason">;
  readonly #held: Gauge<"reason">;

  constructor(metrics: Metrics) {
    this.rejections = metrics.counter({
      name: "driftless_gate_rejections_total",
      help: "Contents of ConfigMaps and Secrets that were not let through on this node, by reason",
      labels: ["reason"],
    });
    this.#held = metrics.gauge({
      name: "driftless_gate_held_objects",
      help: "ConfigMaps and Secrets whose newest content is held back on this node now, by reason",
      labels: ["reason"],
    });
    const reasons: readonly RefusalKind[] = ["Format", "Schema", "Unusable", "TimedOut", "Crashed"];
    for (const reason of reasons) this.rejections.add(0, { reason });
    this.held([]);
  }

  /** All that are held. */
  held(held: Iterable<Held>): void {
    const counts: Record<Held["reason"], number> = { GateRejected: 0, RolloutHeld: 0 };
    for (const { reason } of held) counts[reason]++;
    this.#held.set(counts.GateRejected, { reason: "GateRejected" });
    this.#held.set(counts.RolloutHeld, { reason: "RolloutHeld" });
  }
}
