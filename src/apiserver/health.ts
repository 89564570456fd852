// Is the server alive, is it ready, and if not, why not. Each check by name, as /livez and /readyz show them.

import type { Metrics } from "../base/metrics.ts";
import { type Answer, textAnswer } from "./http/answer.ts";

export interface HealthCheck {
  readonly name: string;
  /** Rejects with the reason. */
  readonly check: () => Promise<void>;
}

interface Result {
  readonly name: string;
  readonly failure: string | undefined;
}

export interface HealthQuery {
  /** "livez", "readyz" or "healthz" */
  readonly endpoint: string;
  /** One check alone; "" for all. */
  readonly only: string;
  readonly isVerbose: boolean;
  readonly excluded: readonly string[];
}

export async function healthAnswer(
  checks: readonly HealthCheck[],
  { endpoint, only, isVerbose, excluded }: HealthQuery,
): Promise<Answer> {
  const asked = checks.filter(
    ({ name }) => (only === "" || name === only) && !excluded.includes(name),
  );
  if (only !== "" && asked.length === 0) return textAnswer(404, "404 page not found\n");
  const results = await Promise.all(asked.map(run));
  const isFailed = results.some(({ failure }) => failure !== undefined);
  if (!isFailed && !isVerbose) return textAnswer(200, "ok");
  const lines = results.map(({ name, failure }) =>
    failure === undefined ? `[+]${name} ok` : `[-]${name} failed: ${failure}`,
  );
  const verdict = `${endpoint} check ${isFailed ? "failed" : "passed"}`;
  return textAnswer(isFailed ? 500 : 200, `${[...lines, verdict].join("\n")}\n`);
}

/** Named as in the original. Whoever reads the metrics has the checks made, as with /readyz. */
export function countHealth(metrics: Metrics, checks: readonly HealthCheck[]): void {
  const health = metrics.gauge({
    name: "kubernetes_healthcheck",
    help: "1 if the check succeeds, 0 if it does not; the store's fails while it takes no writes.",
    labels: ["name", "type"],
  });
  metrics.beforeText(async () => {
    for (const { name, failure } of await Promise.all(checks.map(run))) {
      health.set(failure === undefined ? 1 : 0, { name, type: "readyz" });
    }
  });
}

async function run({ name, check }: HealthCheck): Promise<Result> {
  try {
    await check();
    return { name, failure: undefined };
  } catch (err) {
    return { name, failure: err instanceof Error ? err.message : String(err) };
  }
}
