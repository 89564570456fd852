// The figures of whichever strategy runs. One per registry: a name can be used once.

import type { Counter, Gauge, Metrics } from "../../base/metrics.ts";
import type { ObjectKind } from "./config-object.ts";
import type { Registrations } from "./registrations.ts";

export type FetchResult = "success" | "not_found" | "error";

export class ObjectMetrics {
  readonly #objects: Gauge<"kind">;
  readonly watches: Gauge;
  readonly fetches: Counter<"kind" | "result">;
  /** A moment, not an age: it is right without being set again and again. */
  readonly staleSince: Gauge;

  constructor(metrics: Metrics) {
    this.#objects = metrics.gauge({
      name: "driftless_agent_objects",
      help: "ConfigMaps and Secrets that pods of this node refer to",
      labels: ["kind"],
    });
    this.watches = metrics.gauge({
      name: "driftless_agent_watches",
      help: "ConfigMaps and Secrets that are watched now",
    });
    this.fetches = metrics.counter({
      name: "driftless_agent_object_fetches_total",
      help: "Reads of single ConfigMaps and Secrets, without those of watches, by their result",
      labels: ["kind", "result"],
    });
    this.staleSince = metrics.gauge({
      name: "driftless_agent_oldest_stale_object_timestamp_seconds",
      help: "Since when changes of some watched object cannot be heard of, or 0 if all can",
    });
  }

  /** Called after every change of them. */
  held(registrations: Registrations): void {
    const kinds: readonly ObjectKind[] = ["ConfigMap", "Secret"];
    for (const kind of kinds) this.#objects.set(registrations.count(kind), { kind });
  }
}
