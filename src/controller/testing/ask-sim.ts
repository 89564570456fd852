// One request to a simulated cluster, as it goes over the wire.

import type { JsonObject } from "../../api/json.ts";
import type { SimCluster } from "./sim-cluster.ts";
import type { Asked, Said } from "./sim-scenarios.ts";

export async function ask(sim: SimCluster, { method, path, body, patch }: Asked): Promise<Said> {
  const answer = await sim.transportOf("somebody").send({
    method,
    path,
    headers: { "content-type": contentType(patch) },
    ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }),
    signal: new AbortController().signal,
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  return { code: answer.code, body: JSON.parse(Buffer.concat(chunks).toString()) as JsonObject };
}

export function contentType(patch: Asked["patch"]): string {
  return patch === undefined
    ? "application/json"
    : `application/${patch === "strategic" ? "strategic-merge" : patch}-patch+json`;
}
