// ComponentStatuses: what /readyz says, for old clients that ask for objects. Nothing of them is stored: they are made
// anew for every reader.

import type { Kind } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import type { ComponentStatus } from "../../api/types.ts";
import { CachedObject, encodeForStore, ObjectHead } from "../cache/cached-object.ts";
import { KindCache } from "../cache/kind-cache.ts";
import type { HealthCheck } from "../health.ts";
import { type Resource, storePrefix } from "./resource.ts";

export function componentResource(kind: Kind, checks: readonly HealthCheck[]): Resource {
  const cache = new KindCache();
  const head = new ObjectHead(kind);
  return {
    kind,
    strategy: {
      kind,
      deprecation: "v1 ComponentStatus is deprecated in v1.19+",
      validate: () => [],
      validateUpdate: () => [],
    },
    storage: { prefix: storePrefix(kind), head },
    storedKind: kind,
    cache,
    view: undefined,
    async refresh() {
      const found = await Promise.all(checks.map(statusOf));
      const objects = found.map((object) => {
        const value = encodeForStore(kind, object);
        const key = object.metadata.name ?? "";
        return CachedObject.fromStored({ key, value, revision: 0n, head });
      });
      cache.reset(objects, 0n);
    },
  };
}

async function statusOf({ name, check }: HealthCheck): Promise<ApiObject & ComponentStatus> {
  const of = (
    condition: { status: "True"; message: string } | { status: "False"; error: string },
  ): ApiObject & ComponentStatus => ({
    kind: "ComponentStatus",
    apiVersion: "v1",
    metadata: { name },
    conditions: [{ type: "Healthy", ...condition }],
  });
  try {
    await check();
    return of({ status: "True", message: "ok" });
  } catch (err) {
    return of({ status: "False", error: err instanceof Error ? err.message : String(err) });
  }
}
