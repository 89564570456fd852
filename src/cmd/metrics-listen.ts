// --metrics-listen: the metrics of this process over plain HTTP, for a collector that has no credentials.

import { Option } from "commander";
import { HealthServer } from "../agent/health/health-server.ts";
import type { Logger } from "../base/logger.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Part } from "../base/run-group.ts";
import { parseListen } from "./listen-address.ts";

export interface MetricsFlags {
  readonly metricsListen?: string;
}

export function metricsListenOption(): Option {
  return new Option(
    "--metrics-listen <host:port>",
    "serve /metrics there over plain HTTP, to whoever reaches it (default: not at all)",
  );
}

/** None without the flag. Throws MisuseError if it is not an address. */
export function metricsParts(
  { metricsListen }: MetricsFlags,
  { metrics, logger }: { readonly metrics: readonly Metrics[]; readonly logger: Logger },
): readonly Part[] {
  if (metricsListen === undefined) return [];
  const server = new HealthServer({
    listen: parseListen(metricsListen, "--metrics-listen"),
    ...{ health: [], readiness: [], logger },
    metrics: joined(metrics),
  });
  return [{ name: "metrics", run: (signal) => server.run(signal) }];
}

/** They have no name in common. */
function joined(all: readonly Metrics[]): Pick<Metrics, "text" | "contentType"> {
  return {
    text: async () => (await Promise.all(all.map((one) => one.text()))).join(""),
    contentType: all[0]?.contentType ?? "text/plain",
  };
}
