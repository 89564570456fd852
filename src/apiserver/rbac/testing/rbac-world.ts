// A store, its cache and the four kinds of RBAC, running, without a server around them.

import type { ApiObject } from "../../../api/object.ts";
import type { PolicyRule, Subject } from "../../../api/types.ts";
import { CaptureLogger } from "../../../base/testing/capture-logger.ts";
import { FakeClock } from "../../../base/testing/fake-clock.ts";
import { seededRandom } from "../../../base/testing/seeded-random.ts";
import { MemoryStore } from "../../../storage/memory/memory-store.ts";
import { type Action, nowhere } from "../../authorization.ts";
import { WatchCache } from "../../cache/watch-cache.ts";
import { ObjectStore } from "../../registry/object-store.ts";
import { objectKey, type Resource, storageOf } from "../../registry/resource.ts";
import { strategies } from "../../registry/strategies.ts";
import { createdBySystem } from "../../registry/system-write.ts";
import type { UserInfo } from "../../user.ts";
import {
  RBAC_GROUP,
  type RbacResource,
  type RbacResources,
  rbacResources,
} from "../rbac-resources.ts";
import type { PolicyParts } from "../reconcile-policy.ts";

export interface RbacWorld extends AsyncDisposable {
  readonly parts: PolicyParts & { readonly logger: CaptureLogger; readonly clock: FakeClock };
  readonly store: MemoryStore;
  readonly resources: RbacResources;
  /** Creates it, or replaces it. */
  put(object: ApiObject): Promise<void>;
  delete(resource: RbacResource, key: string): Promise<void>;
}

/** `store` is one that runs already, to share it between several; otherwise the world has its own. */
export async function rbacWorld(shared?: MemoryStore): Promise<RbacWorld> {
  const store = shared ?? new MemoryStore();
  const all = strategies().filter(({ kind }) => kind.group === RBAC_GROUP);
  const storages = new Map(all.map((strategy) => [strategy, storageOf(strategy)]));
  const logger = new CaptureLogger();
  const clock = new FakeClock();
  const cache = new WatchCache({
    store,
    kinds: [...storages.values()],
    clock,
    random: seededRandom(1),
    logger,
  });
  const served = new Map(
    [...storages].map(([strategy, storage]): readonly [string, Resource] => {
      const { kind } = strategy;
      const kept = { kind, strategy, storage, storedKind: kind, view: undefined };
      return [kind.resource, { ...kept, cache: cache.kind(storage.prefix) }];
    }),
  );
  const find = (_: string, __: string, name: string): Resource | undefined => served.get(name);
  const stop = new AbortController();
  const ended = [...(shared === undefined ? [store.run(stop.signal)] : []), cache.run(stop.signal)];
  await cache.ready();
  const objects = new ObjectStore({ store, cache });
  const rbac = rbacResources(find);
  return {
    parts: { resource: find, objects, cache, clock, logger },
    store,
    resources: rbac,
    async put(object) {
      const resource = Object.values(rbac).find(({ kind }) => kind.kind === object.kind);
      if (resource === undefined) throw new Error(`Cannot put a ${object.kind}`);
      const { name = "", namespace = "" } = object.metadata;
      const made = createdBySystem(resource, object, { manager: "test", nowMs: clock.now() });
      const key = objectKey(resource.kind, namespace, name);
      await objects.change(resource, key, () => ({ do: "write", object: made }));
    },
    async delete(resource, key) {
      await objects.change(rbac[resource], key, () => ({ do: "delete" }));
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(ended);
    },
  };
}

export interface RoleOptions {
  /** Makes it a Role. */
  readonly namespace?: string;
  readonly labels?: Record<string, string>;
  /** Makes it an aggregated one, of roles that have one of these labels with the value "true". */
  readonly collects?: readonly string[];
}

export function role(
  name: string,
  rules: readonly PolicyRule[],
  { namespace, labels, collects }: RoleOptions = {},
): ApiObject {
  return {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: namespace === undefined ? "ClusterRole" : "Role",
    metadata: { name, ...(namespace !== undefined && { namespace }), ...(labels && { labels }) },
    rules: [...rules],
    ...(collects && {
      aggregationRule: {
        clusterRoleSelectors: collects.map((label) => ({ matchLabels: { [label]: "true" } })),
      },
    }),
  };
}

export interface BindingOptions {
  /** Makes it a RoleBinding. */
  readonly namespace?: string;
  /** "ClusterRole/x" or "Role/x". */
  readonly to: string;
  readonly subjects: readonly Subject[];
}

export function binding(name: string, { namespace, to, subjects }: BindingOptions): ApiObject {
  const [kind = "", roleName = ""] = to.split("/");
  return {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: namespace === undefined ? "ClusterRoleBinding" : "RoleBinding",
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    subjects: [...subjects],
    roleRef: { apiGroup: RBAC_GROUP, kind, name: roleName },
  };
}

/** `action(alice, "get", "apps/deployments/scale", { name: "web" })`; the core group is left out: "pods". */
export function action(
  user: UserInfo,
  verb: string,
  what: string,
  where: { readonly namespace?: string; readonly name?: string } = {},
): Action {
  if (what.startsWith("/")) return { ...nowhere, user, verb, isResource: false, path: what };
  const parts = what.split("/");
  const [group = "", resource = "", subresource = ""] =
    parts[0] !== undefined && (parts[0] === "apps" || parts[0].includes("."))
      ? parts
      : ["", ...parts];
  return {
    ...nowhere,
    user,
    verb,
    isResource: true,
    path: "",
    group,
    resource,
    subresource,
    version: "v1",
    ...where,
  };
}
