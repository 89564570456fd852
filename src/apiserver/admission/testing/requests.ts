// Requests and caches for tests of plug-ins: objects are decoded and defaulted as the handlers do it.

import type { JsonObject } from "../../../api/json.ts";
import type { ApiObject } from "../../../api/object.ts";
import { StatusError } from "../../../api/status-error.ts";
import { CachedObject, encodeForStore, ObjectHead } from "../../cache/cached-object.ts";
import { KindCache } from "../../cache/kind-cache.ts";
import { objectKey } from "../../registry/resource.ts";
import { servedKind } from "../../registry/served-kind.ts";
import { strategies } from "../../registry/strategies.ts";
import type { Strategy } from "../../registry/strategy.ts";
import { received } from "../../registry/testing/strategy-steps.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../admission.ts";

const all = strategies();

/** "v1 Pod" */
export type KindName = `${string} ${string}`;

export function strategyNamed(name: KindName): Strategy {
  const [apiVersion = "", kindName = ""] = name.split(" ");
  const kind = servedKind(apiVersion, kindName);
  return (
    all.find((strategy) => strategy.kind === kind) ?? {
      kind,
      validate: () => [],
      validateUpdate: () => [],
    }
  );
}

/** As a handler has it before admission. */
export function objectOf(kind: KindName, value: JsonObject): ApiObject {
  return received(strategyNamed(kind), { metadata: {}, ...value });
}

export type RequestOptions = Partial<Omit<AdmissionRequest, "kind" | "object" | "old">> & {
  readonly object?: JsonObject;
  readonly old?: JsonObject;
};

/** A request to create an object in namespace "n", unless the options say otherwise. */
export function requestFor(kind: KindName, options: RequestOptions = {}): AdmissionRequest {
  const { object, old, ...others } = options;
  const made = object && objectOf(kind, object);
  const served = strategyNamed(kind).kind;
  return {
    operation: "CREATE",
    kind: served,
    subresource: "",
    namespace: served.namespaced ? "n" : "",
    name: made?.metadata.name ?? "",
    user: { name: "somebody", groups: [] },
    isDryRun: false,
    nowMs: 0,
    warnings: [],
    annotations: new Map(),
    object: made,
    old: old && objectOf(kind, old),
    ...others,
  };
}

let revision = 0n;

/** Puts an object into a cache as if it had just been written. */
export function put(cache: KindCache, kind: KindName, value: JsonObject): void {
  const { kind: served } = strategyNamed(kind);
  const object = objectOf(kind, value);
  const { namespace = "n", name = "" } = object.metadata;
  revision++;
  cache.put(
    CachedObject.fromStored({
      key: objectKey(served, namespace, name),
      value: encodeForStore(served, object),
      revision,
      head: new ObjectHead(served),
    }),
  );
}

export function cacheOf(kind: KindName, ...values: readonly JsonObject[]): KindCache {
  const cache = new KindCache();
  for (const value of values) put(cache, kind, value);
  return cache;
}

/** The text with which a request is refused, or "" if it is let through. Other failures are thrown. */
export function refusalOf(
  plugin: AdmissionPlugin,
  request: AdmissionRequest,
  phases: readonly ("mutate" | "judge")[] = ["mutate", "judge"],
): string {
  try {
    for (const phase of phases) plugin[phase]?.(request);
    return "";
  } catch (err) {
    if (err instanceof StatusError) return err.message;
    throw err;
  }
}
