// The parts of the server that answer requests, put together: nothing runs yet.

import { kinds } from "../api/kinds.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { Store } from "../storage/store.ts";
import { AdmissionChain } from "./admission/chain.ts";
import type { ContentCheck } from "./admission/content-checks.ts";
import { defaultPlugins } from "./admission/default-plugins.ts";
import { WatchCache } from "./cache/watch-cache.ts";
import type { ServerParts } from "./handlers/context.ts";
import type { HealthCheck } from "./health.ts";
import { ByteBudget } from "./http/byte-budget.ts";
import { JoinTokens } from "./join/join-tokens.ts";
import { NodeAuthorizer } from "./node/node-authorizer.ts";
import { NodeGraph } from "./node/node-graph.ts";
import { nodeRestriction } from "./node/node-restriction.ts";
import { NodeDialer } from "./node-access/node-dialer.ts";
import type { Tunnels } from "./node-access/tunnels.ts";
import type { Credentials } from "./pki/credentials.ts";
import { mastersAuthorizer } from "./rbac/masters-authorizer.ts";
import { RbacAuthorizer } from "./rbac/rbac-authorizer.ts";
import { RbacEscalation } from "./rbac/rbac-escalation.ts";
import { rbacResources } from "./rbac/rbac-resources.ts";
import { RuleResolver } from "./rbac/rule-resolver.ts";
import { unionOf } from "./rbac/union-authorizer.ts";
import { ObjectStore } from "./registry/object-store.ts";
import { objectKey, type Resource, storageOf } from "./registry/resource.ts";
import { resources } from "./registry/resources.ts";
import { strategies } from "./registry/strategies.ts";
import { ServiceAccountTokens } from "./tokens/service-account-tokens.ts";
import { firstOf, staticTokens } from "./tokens/static-tokens.ts";

const MAX_UPLOADING_BYTES = 256 * 1024 * 1024;

export interface PartsOptions {
  readonly store: Store;
  readonly credentials: Credentials;
  /** In the format of static-tokens.ts. */
  readonly tokens: string;
  /** Names of admission plug-ins to leave out. */
  readonly disabledPlugins: ReadonlySet<string>;
  readonly tunnels: Pick<Tunnels, "get">;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface Assembly {
  readonly parts: ServerParts;
  readonly dialer: NodeDialer;
  /** Whether what the server needs is well. */
  readonly checks: readonly HealthCheck[];
  readonly joinTokens: JoinTokens;
  readonly serviceAccountTokens: ServiceAccountTokens;
}

export function assemble(options: PartsOptions): Assembly {
  const { store, clock, random, logger } = options;
  const all = strategies();
  const storages = new Map(all.map((strategy) => [strategy, storageOf(strategy)]));
  const cache = new WatchCache({ store, kinds: [...storages.values()], clock, random, logger });
  const checks = healthChecks(store, cache);
  const served = resources({ strategies: all, storages, cache, kinds, checks });
  const known: Served = {
    resource: (group, version, name) => served.get(`${group}/${version}/${name}`),
  };
  const objects = new ObjectStore({ store, cache });
  const serviceAccountTokens = accountTokens(options, known, objects);
  const joinTokens = new JoinTokens({
    objects,
    secrets: resourceOf(known, "", "secrets"),
    clock,
    logger,
  });
  const rbac = rbacResources((...of) => known.resource(...of));
  const resolver = new RuleResolver(rbac);
  const rbacAuthorizer = new RbacAuthorizer(resolver);
  const dialer = new NodeDialer({ ...options, nodes: cacheOf(known, "", "nodes") });
  const parts: ServerParts = {
    store,
    cache,
    objects,
    clock,
    random,
    logger,
    // The first that has an opinion decides.
    authorizer: unionOf(mastersAuthorizer, nodeAuthorizer(known), rbacAuthorizer),
    admission: new AdmissionChain([
      ...defaultPlugins({
        resources: [...served.values()],
        random,
        contentChecks: (): readonly ContentCheck[] => [],
        impliesDefaultAccount: true,
        disabled: options.disabledPlugins,
      }),
      nodeRestriction({
        pods: cacheOf(known, "", "pods"),
        nodes: cacheOf(known, "", "nodes"),
      }),
      new RbacEscalation({ resources: rbac, resolver, authorizer: rbacAuthorizer }),
    ]),
    tokens: firstOf(staticTokens(options.tokens), joinTokens, serviceAccountTokens),
    uploads: new ByteBudget({ maxBytes: MAX_UPLOADING_BYTES, maxShare: 1 / 4 }),
    serviceAccountTokens,
    nodes: dialer,
    ...known,
  };
  return { parts, dialer, checks, joinTokens, serviceAccountTokens };
}

function healthChecks(store: Store, cache: WatchCache): readonly HealthCheck[] {
  return [
    { name: "store", check: () => store.check() },
    {
      name: "watch-cache",
      check: async () => {
        if (!cache.isFollowing) throw new Error("the cache does not follow the store");
      },
    },
  ];
}

function nodeAuthorizer(known: Served): NodeAuthorizer {
  const graph = new NodeGraph({
    pods: cacheOf(known, "", "pods"),
    persistentVolumes: cacheOf(known, "", "persistentvolumes"),
  });
  return new NodeAuthorizer({
    graph,
    nodes: cacheOf(known, "", "nodes"),
    configRevisions: cacheOf(known, "driftless.dev", "configrevisions"),
    configViews: cacheOf(known, "driftless.dev", "configviews"),
  });
}

function accountTokens(
  { credentials, clock }: PartsOptions,
  known: Served,
  objects: ObjectStore,
): ServiceAccountTokens {
  return new ServiceAccountTokens({
    ...credentials.serviceAccount,
    clock,
    find: async (kind, namespace, name) => {
      const of = known.resource("", "v1", `${kind}s`);
      const found = of && (await objects.get(of, objectKey(of.kind, namespace, name)));
      return found?.object.metadata;
    },
  });
}

type Served = Pick<ServerParts, "resource">;

export function resourceOf(known: Served, group: string, name: string): Resource {
  const found = known.resource(group, "v1", name);
  if (found === undefined) throw new Error(`Cannot put the server together: it lacks ${name}`);
  return found;
}

function cacheOf(known: Served, group: string, name: string): Resource["cache"] {
  return resourceOf(known, group, name).cache;
}
