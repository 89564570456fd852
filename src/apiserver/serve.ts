// Runs an API server as one: store, cache, what has to be there at the start, then the port.

import { isIPv6 } from "node:net";
import { kinds } from "../api/kinds.ts";
import type { Metrics } from "../base/metrics.ts";
import { type Part, RunGroup } from "../base/run-group.ts";
import { DefaultServiceAccount } from "./admission/default-service-account.ts";
import { ApiServer } from "./api-server.ts";
import type { AuditPolicy } from "./audit/audit-policy.ts";
import type { AuditWriter } from "./audit/audit-writer.ts";
import { Auditor } from "./audit/auditor.ts";
import { bootstrap } from "./bootstrap.ts";
import { Compactor } from "./compactor.ts";
import { Documents } from "./documents.ts";
import { countFleet } from "./fleet/fleet-metrics.ts";
import { FlowControl } from "./flow/flow-control.ts";
import { flowSettings } from "./flow/priority-level.ts";
import { isLoopback } from "./http/is-loopback.ts";
import { JoinApi } from "./join/join-api.ts";
import { NodeCertificates } from "./join/node-certificates.ts";
import { NodeMembers } from "./join/node-members.ts";
import { OwnMachine } from "./join/own-machine.ts";
import { Listener } from "./listener.ts";
import { TunnelApi } from "./node-access/tunnel-api.ts";
import { Tunnels } from "./node-access/tunnels.ts";
import { CertificateRenewer } from "./pki/certificate-renewer.ts";
import type { Credentials } from "./pki/credentials.ts";
import { builtInPolicy } from "./rbac/built-in-policy.ts";
import { reconcilePolicy } from "./rbac/reconcile-policy.ts";
import { RoleAggregation } from "./rbac/role-aggregation.ts";
import type { Resource } from "./registry/resource.ts";
import { RevisionKeeper } from "./revisions/revision-keeper.ts";
import { assemble, type PartsOptions, resourceOf } from "./server-parts.ts";
import { OPENID_PATHS, OpenIdDocuments } from "./tokens/openid-documents.ts";

export interface ServeOptions extends Omit<PartsOptions, "tunnels"> {
  readonly host: string;
  readonly port: number;
  readonly version: object;
  readonly compactionIntervalMs: number;
  /** How many ConfigRevisions are kept of each ConfigMap and Secret. */
  readonly historyLimit: number;
  /** Other servers may write to the same store. */
  readonly isStoreShared: boolean;
  /** Where the credentials come from. */
  readonly pkiDirectory: string;
  /** Names and addresses by which clients reach the server. */
  readonly hosts: readonly string[];
  /** The one of them that others are told. */
  readonly advertisedHost: string;
  readonly metrics: Metrics;
  /** Undefined: nothing is audited. */
  readonly audit: { readonly policy: AuditPolicy; readonly writer: AuditWriter } | undefined;
  /** In place of the store's own: it runs already. */
  readonly runStore: (signal: AbortSignal) => Promise<void>;
  /** See FlowControlOptions. */
  readonly onNextTurn: (callback: () => void) => void;
  /** Called when everything answers. */
  onReady(ready: ServerReady): void;
  /** Called when certificates were renewed while it ran. */
  onRenewed(credentials: Credentials): void;
}

interface ServerReady {
  readonly host: string;
  readonly port: number;
  /** By which the machine that the server runs on can be a node too. */
  readonly ownMachine: OwnMachine;
}

const otherPaths: readonly string[] = [
  ...OPENID_PATHS,
  "/healthz",
  "/livez",
  "/metrics",
  "/openapi/v2",
  "/openapi/v3",
  "/readyz",
  "/version",
];

/** Runs until the signal aborts. Rejects if a part fails. */
export async function serve(options: ServeOptions, signal: AbortSignal): Promise<void> {
  const { store, host, port, credentials, clock, random, logger, metrics } = options;
  const tunnels = new Tunnels({ clock, metrics });
  const { parts, dialer, checks, joinTokens, serviceAccountTokens } = assemble({
    ...options,
    tunnels,
  });
  const { cache, objects } = parts;
  const core = (name: string): Resource => resourceOf(parts, "", name);
  const aggregation = new RoleAggregation({
    clusterRoles: resourceOf(parts, "rbac.authorization.k8s.io", "clusterroles"),
    objects,
    clock,
    random,
    logger,
  });
  const defaultAccounts = new DefaultServiceAccount({
    namespaces: core("namespaces"),
    serviceAccounts: core("serviceaccounts"),
    configMaps: core("configmaps"),
    pods: core("pods"),
    objects,
    rootCertificates: credentials.authority.certificate,
    clock,
    random,
    logger,
  });
  const revisionKeeper = new RevisionKeeper({
    configMaps: core("configmaps"),
    secrets: core("secrets"),
    revisions: resourceOf(parts, "driftless.dev", "configrevisions"),
    objects,
    cache,
    limit: options.historyLimit,
    isShared: options.isStoreShared,
    clock,
    random,
    logger,
    metrics,
  });
  countFleet({
    configViews: resourceOf(parts, "driftless.dev", "configviews").cache,
    pods: core("pods").cache,
    nodes: core("nodes").cache,
    metrics,
  });
  const booted = Promise.withResolvers<void>();
  let isReady = false;
  let listening = port;
  const ping = { name: "ping", check: async () => undefined };
  const { advertisedHost } = options;
  const serverAddress = (): string =>
    `${isIPv6(advertisedHost) ? `[${advertisedHost}]` : advertisedHost}:${listening}`;
  const { audit, onNextTurn } = options;
  const { authority } = credentials;
  const members = new NodeMembers({ objects, nodes: core("nodes"), clock });
  const certificates = new NodeCertificates({ authority, clock });
  const server = new ApiServer({
    parts,
    metrics,
    auditor: new Auditor({
      policy: audit?.policy ?? { rules: [], omitStages: [], omitManagedFields: false },
      sink: audit?.writer ?? { write: () => undefined },
      clock,
      metrics,
    }),
    flow: new FlowControl({ levels: flowSettings, clock, metrics, onNextTurn }),
    openId: new OpenIdDocuments({ keys: serviceAccountTokens.keys, serverAddress }),
    join: new JoinApi({
      tokens: joinTokens,
      members,
      certificates,
      serverHosts: options.hosts,
    }),
    tunnels: new TunnelApi({ tunnels, clock, logger }),
    documents: new Documents({
      kinds,
      version: options.version,
      serverAddress,
      paths: otherPaths,
    }),
    isPublic: !isLoopback(host),
    live: [ping],
    ready: [
      ping,
      ...checks,
      {
        name: "bootstrap",
        check: async () => {
          if (!isReady) throw new Error("starting");
        },
      },
    ],
  });
  const listener = new Listener({
    host,
    port,
    credentials,
    clock,
    logger,
    endStreams: () => {
      cache.endWatches();
      dialer.endAll();
      tunnels.closeAll();
    },
    handle: (request, response, upgrade) => server.handle(request, response, upgrade),
  });
  const renewer = new CertificateRenewer({
    directory: options.pkiDirectory,
    hosts: options.hosts,
    credentials,
    clock,
    logger,
    metrics,
    onRenewed: (renewed) => {
      listener.renew(renewed);
      dialer.renew(renewed);
      options.onRenewed(renewed);
    },
  });
  const intervalMs = options.compactionIntervalMs;
  const compactor = new Compactor({ store, intervalMs, clock, logger });
  const runParts: readonly Part[] = [
    { name: "store", run: (stop) => options.runStore(stop), ready: () => store.ready() },
    { name: "watch cache", run: (stop) => cache.run(stop), ready: () => cache.ready() },
    {
      name: "bootstrap",
      run: async () => {
        await Promise.all([bootstrap(parts), reconcilePolicy(parts, builtInPolicy)]);
        await aggregation.settle();
        booted.resolve();
      },
      ready: booted.promise,
      mayEnd: true,
    },
    { name: "role aggregation", run: (stop) => aggregation.run(stop) },
    ...(options.disabledPlugins.has("ServiceAccount")
      ? []
      : [{ name: "default accounts", run: (stop: AbortSignal) => defaultAccounts.run(stop) }]),
    { name: "join tokens", run: (stop) => joinTokens.run(stop) },
    { name: "certificate renewer", run: (stop) => renewer.run(stop) },
    { name: "revision keeper", run: (stop) => revisionKeeper.run(stop) },
    { name: "compactor", run: (stop) => compactor.run(stop) },
    // Before the listener, so that it stops after it: the last requests are in the log.
    ...(audit === undefined ? [] : [auditPart(audit.writer)]),
    {
      name: "listener",
      run: (stop) => listener.run(stop),
      ready: async () => {
        const address = await listener.ready();
        listening = address.port;
        isReady = true;
        const signer = { members, certificates, authority: authority.certificate, clock };
        options.onReady({ host, port: address.port, ownMachine: new OwnMachine(signer) });
      },
    },
  ];
  await new RunGroup({ parts: runParts, clock, stopTimeoutMs: 10_000 }).run(signal);
}

function auditPart(writer: AuditWriter): Part {
  return {
    name: "audit log",
    run: (stop) => writer.run(stop),
    ready: () => writer.ready(),
  };
}
