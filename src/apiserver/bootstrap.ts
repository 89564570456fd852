// What has to be there before the first client: the namespaces that every cluster has.

import { decodeObject } from "../api/decode.ts";
import { isJsonObject } from "../api/json.ts";
import type { ApiObject } from "../api/object.ts";
import { isAlreadyExists } from "../api/status-error.ts";
import type { ServerParts } from "./handlers/context.ts";
import { timestamp } from "./handlers/context.ts";
import { beforeCreate } from "./registry/metadata-rules.ts";

const namespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];

export async function bootstrap(parts: ServerParts): Promise<void> {
  const resource = parts.resource("", "v1", "namespaces");
  if (resource === undefined) return;
  await parts.cache.fresh();
  for (const name of namespaces) {
    if (resource.cache.get(name) !== undefined) continue;
    const { metadata, ...rest } = decodeObject(resource.kind.schema, { metadata: { name } }).object;
    const object: ApiObject = {
      kind: "Namespace",
      apiVersion: "v1",
      metadata: isJsonObject(metadata) ? metadata : {},
      ...rest,
    };
    resource.strategy.applyDefaults?.(object);
    beforeCreate(resource, object, { now: timestamp(parts.clock.now()), dryRun: false });
    try {
      await parts.objects.create(resource, name, object);
    } catch (err) {
      if (!isAlreadyExists(err)) throw err; // Another server was faster.
    }
  }
}
