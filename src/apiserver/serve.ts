// Puts the parts of an API server together and runs them as one: store, cache, compactor, then the port.

import { kinds } from "../api/kinds.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Random } from "../base/random.ts";
import { type Part, RunGroup } from "../base/run-group.ts";
import type { Store } from "../storage/store.ts";
import { AdmissionChain } from "./admission/chain.ts";
import { NamespaceLifecycle } from "./admission/namespace-lifecycle.ts";
import { ApiServer } from "./api-server.ts";
import { builtInAuthorizer } from "./authorization.ts";
import { bootstrap } from "./bootstrap.ts";
import { WatchCache } from "./cache/watch-cache.ts";
import { Compactor } from "./compactor.ts";
import { Documents } from "./documents.ts";
import type { ServerParts } from "./handlers/context.ts";
import type { HealthCheck } from "./health.ts";
import { Listener } from "./listener.ts";
import type { Credentials } from "./pki/credentials.ts";
import { ObjectStore } from "./registry/object-store.ts";
import { objectKey, type Resource, storageOf } from "./registry/resource.ts";
import { resources } from "./registry/resources.ts";
import { strategies } from "./registry/strategies.ts";
import { ServiceAccountTokens } from "./tokens/service-account-tokens.ts";
import { firstOf, staticTokens } from "./tokens/static-tokens.ts";

export interface ServeOptions {
  readonly store: Store;
  readonly host: string;
  readonly port: number;
  readonly credentials: Credentials;
  /** In the format of static-tokens.ts. */
  readonly tokens: string;
  readonly version: object;
  readonly compactionIntervalMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called when everything answers. */
  onReady(address: { readonly host: string; readonly port: number }): void;
}

/** Runs until the signal aborts. Rejects if a part fails. */
export async function serve(options: ServeOptions, signal: AbortSignal): Promise<void> {
  const { store, host, port, credentials, clock, random, logger, metrics } = options;
  const all = strategies();
  const storages = new Map(all.map((strategy) => [strategy, storageOf(strategy)]));
  const cache = new WatchCache({ store, kinds: [...storages.values()], clock, random, logger });
  const checks: readonly HealthCheck[] = [
    { name: "store", check: () => store.check() },
    {
      name: "watch-cache",
      check: async () => refuseUnless(cache.isFollowing, "the cache does not follow the store"),
    },
  ];
  const served = resources({ strategies: all, storages, cache, kinds, checks });
  const parts = serverParts(options, { cache, served });
  const booted = Promise.withResolvers<void>();
  let isReady = false;
  let listening = port;
  const server = new ApiServer({
    parts,
    metrics,
    documents: new Documents({
      kinds,
      version: options.version,
      serverAddress: () => `${host}:${listening}`,
      paths: [
        "/healthz",
        "/livez",
        "/metrics",
        "/openapi/v2",
        "/openapi/v3",
        "/readyz",
        "/version",
      ],
    }),
    live: [{ name: "ping", check: async () => undefined }],
    ready: [
      { name: "ping", check: async () => undefined },
      ...checks,
      { name: "bootstrap", check: async () => refuseUnless(isReady, "starting") },
    ],
  });
  const listener = new Listener({
    host,
    port,
    credentials,
    clock,
    logger,
    endStreams: () => cache.endWatches(),
    handle: (request, response) => server.handle(request, response),
  });
  const intervalMs = options.compactionIntervalMs;
  const compactor = new Compactor({ store, intervalMs, clock, logger });
  const runParts: readonly Part[] = [
    { name: "store", run: (stop) => store.run(stop), ready: () => store.ready() },
    { name: "watch cache", run: (stop) => cache.run(stop), ready: () => cache.ready() },
    {
      name: "bootstrap",
      run: async () => {
        await bootstrap(parts);
        booted.resolve();
      },
      ready: booted.promise,
      mayEnd: true,
    },
    { name: "compactor", run: (stop) => compactor.run(stop) },
    {
      name: "listener",
      run: (stop) => listener.run(stop),
      ready: async () => {
        const address = await listener.ready();
        listening = address.port;
        isReady = true;
        options.onReady({ host, port: address.port });
      },
    },
  ];
  await new RunGroup({ parts: runParts, clock, stopTimeoutMs: 10_000 }).run(signal);
}

function serverParts(
  options: ServeOptions,
  { cache, served }: { readonly cache: WatchCache; readonly served: ReadonlyMap<string, Resource> },
): ServerParts {
  const { store, clock, random, logger, credentials } = options;
  const objects = new ObjectStore({ store, cache });
  const resource = (group: string, version: string, name: string): Resource | undefined =>
    served.get(`${group}/${version}/${name}`);
  const serviceAccountTokens = new ServiceAccountTokens({
    ...credentials.serviceAccount,
    clock,
    find: async (kind, namespace, name) => {
      const of = resource("", "v1", `${kind}s`);
      const found = of && (await objects.get(of, objectKey(of.kind, namespace, name)));
      return found?.object.metadata;
    },
  });
  return {
    store,
    cache,
    objects,
    clock,
    random,
    logger,
    authorizer: builtInAuthorizer,
    admission: new AdmissionChain([
      new NamespaceLifecycle({ namespaces: cache.kind("core/namespaces/") }),
    ]),
    tokens: firstOf(staticTokens(options.tokens), serviceAccountTokens),
    serviceAccountTokens,
    resource,
  };
}

function refuseUnless(holds: boolean, why: string): void {
  if (!holds) throw new Error(why);
}
