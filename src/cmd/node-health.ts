// How the agent is, for programs on the same machine that ask: --health-port.

import { HealthServer } from "../agent/health/health-server.ts";
import type { Logger } from "../base/logger.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Part } from "../base/run-group.ts";
import { MisuseError } from "./misuse-error.ts";

/** A port and not a socket file: it is there on a full disk too. */
export function healthPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 1 && port <= 65_535) return port;
  throw new MisuseError(`--health-port ${text}: must be a port, 1 to 65535`);
}

/** None without a port. */
export function healthParts(of: {
  readonly port: number | undefined;
  /** Why no pod can run here, if so. */
  readonly missing: readonly string[];
  readonly metrics: Metrics;
  readonly logger: Logger;
}): readonly Part[] {
  const { port, missing, metrics, logger } = of;
  if (port === undefined) return [];
  const problem = (): string | undefined => (missing.length > 0 ? missing.join("; ") : undefined);
  const server = new HealthServer({
    listen: { port },
    health: [],
    readiness: [{ name: "kernel", problem }],
    metrics,
    logger,
  });
  return [{ name: "health", run: (signal) => server.run(signal) }];
}
