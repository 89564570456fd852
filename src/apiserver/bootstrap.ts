// What has to be there before the first client: the namespaces that every cluster has.

import { decodeObject } from "../api/decode.ts";
import { isJsonObject } from "../api/json.ts";
import { isAlreadyExists } from "../api/status-error.ts";
import type { ServerParts } from "./handlers/context.ts";
import type { Resource } from "./registry/resource.ts";
import { createdBySystem } from "./registry/system-write.ts";

const names: readonly string[] = ["default", "kube-system", "kube-public", "kube-node-lease"];

export async function bootstrap(parts: ServerParts): Promise<void> {
  const namespaces = parts.resource("", "v1", "namespaces");
  if (namespaces === undefined) return;
  await parts.cache.fresh();
  const missing = names.filter((name) => namespaces.cache.get(name) === undefined);
  await Promise.all(missing.map((name) => createNamespace(parts, namespaces, name)));
}

async function createNamespace(
  { objects, clock }: ServerParts,
  namespaces: Resource,
  name: string,
): Promise<void> {
  const { metadata, ...rest } = decodeObject(namespaces.kind.schema, { metadata: { name } }).object;
  const wanted = { metadata: isJsonObject(metadata) ? metadata : {}, ...rest };
  const write = { manager: "driftless", nowMs: clock.now() };
  try {
    await objects.create(namespaces, name, createdBySystem(namespaces, wanted, write));
  } catch (err) {
    if (!isAlreadyExists(err)) throw err; // Another server was faster.
  }
}
