// How soon watchers hear of an update, and how many events a second get through.

import { report } from "../report.ts";
import type { BenchPlace } from "./bench-place.ts";

/** For 1,000 watchers of one object. */
const P99_AIM_MS = 25;

export interface FanOutOptions {
  readonly watchers: readonly number[];
  readonly updates: number;
  readonly floodMs: number;
}

export async function benchFanOut(
  place: BenchPlace,
  { watchers, updates, floodMs }: FanOutOptions,
): Promise<void> {
  await place.makeObjects("watched", Math.max(...watchers));
  for (const count of watchers) {
    for (const scope of ["each", "one"] as const) {
      const isFlooded = scope === "one" && count === 1000;
      const { p50Ms, p99Ms, maxMs, afterAckP50Ms, afterAckP99Ms, ...flood } =
        await place.generator.run({
          do: "fan-out",
          target: place.target,
          namespace: "default",
          prefix: "watched",
          watchers: count,
          scope,
          bytes: 1024,
          updates: scope === "each" ? updates * 5 : updates,
          floodMs: isFlooded ? floodMs : 0,
        });
      const where = scope === "one" ? "all on one object" : "each on its own";
      report({ name: `update to event, ${count} watches, ${where}, p50`, unit: "ms", ours: p50Ms });
      report({
        name: "  p99",
        unit: "ms",
        ours: p99Ms,
        ...(isFlooded && { aim: { text: `< ${P99_AIM_MS}`, met: p99Ms < P99_AIM_MS } }),
      });
      report({ name: "  the last watcher of the slowest", unit: "ms", ours: maxMs });
      if (scope === "each") {
        report({ name: "  acknowledgement to event, p50", unit: "ms", ours: afterAckP50Ms });
        report({ name: "  acknowledgement to event, p99", unit: "ms", ours: afterAckP99Ms });
      }
      if (isFlooded) {
        report({
          name: "  events, updates as fast as possible",
          unit: "/s",
          ours: flood.floodEventsPerSecond,
        });
        report({
          name: "  events missed",
          unit: "",
          ours: flood.missed,
          aim: { text: "0", met: flood.missed === 0 },
        });
      }
    }
  }
}
