// The node agent, put together: from the server or from files come pods, from the server their objects; volumes and containers
// follow. What is here only says who needs whom.

import type { ApiObject } from "../api/object.ts";
import type { Service } from "../api/types.ts";
import { untilAborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Random } from "../base/random.ts";
import { type Part, RunGroup } from "../base/run-group.ts";
import type { ApiClient } from "../client/api-client.ts";
import { Informer } from "../client/informer.ts";
import { listWatchOf } from "../client/list-watch.ts";
import { ResourceClient } from "../client/resource-client.ts";
import type { ResourceKind } from "../client/resource-path.ts";
import { EventRecorder, loggedEvents } from "../controller/event-recorder.ts";
import { currentProcess } from "../files/process-identity.ts";
import type { Mounts } from "../mounts/mounts.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { AgentPaths } from "./agent-paths.ts";
import { CertificateRenewal } from "./join/certificate-renewal.ts";
import type { NodeIdentity } from "./join/node-identity.ts";
import { LEASES, NODES } from "./node/node-kinds.ts";
import { NodeLease } from "./node/node-lease.ts";
import { NodeStatusWriter } from "./node/node-status-writer.ts";
import type { NodeSurvey } from "./node/node-survey.ts";
import { OwnNode } from "./node/own-node.ts";
import {
  type ChangeDetectionStrategy,
  createObjectManager,
} from "./objects/create-object-manager.ts";
import { NoObjects } from "./objects/no-objects.ts";
import { ttlOfNode } from "./objects/object-ttl.ts";
import type { UpkeptObjects } from "./objects/upkept-objects.ts";
import { NodePods } from "./pods/node-pods.ts";
import { podMetrics } from "./pods/pod-metrics.ts";
import { PodSource } from "./pods/pod-source.ts";
import { StaticPods } from "./pods/static-pods.ts";
import { StatusWriter } from "./pods/status-writer.ts";
import { type PrepareParts, prepareContainer } from "./prepare-container.ts";
import { SubPaths } from "./sub-path/sub-paths.ts";
import { TokenManager } from "./tokens/token-manager.ts";
import { defaultPlugins } from "./volumes/plugins/default-plugins.ts";
import { VolumeManager } from "./volumes/volume-manager.ts";

export interface AgentOptions {
  /** An absolute path without symbolic links. */
  readonly dataDir: string;
  readonly nodeName: string;
  /** Undefined: this machine has no server, and runs what its manifests say. */
  readonly server: ServerSide | undefined;
  /** Where manifests of static pods are. */
  readonly manifests: string;
  readonly strategy: ChangeDetectionStrategy;
  /** The net behind the events. */
  readonly syncPeriodMs: number;
  readonly survey: NodeSurvey;
  readonly runtime: Runtime;
  /** Parts that the runtime needs beside it. */
  readonly runtimeParts: readonly Part[];
  /** Why no pod can run here, if so. */
  readonly missing: () => readonly string[];
  readonly mounts: Mounts;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** setImmediate, where that may be named. */
  readonly onNextTurn: (callback: () => void) => void;
}

export interface ServerSide {
  readonly identity: NodeIdentity;
  readonly client: ApiClient;
}

const SERVICES: ResourceKind = {
  group: "",
  version: "v1",
  kind: "Service",
  resource: "services",
  namespaced: true,
};
/** An object that only environments use is not watched for longer than this after it was read, as in the kubelet. */
const IDLE_PERIODS = 5;

export class Agent {
  readonly #options: AgentOptions;
  readonly #parts: readonly Part[];
  /** Settles when it has found what runs here already. */
  readonly ready: Promise<void>;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.ready = options.runtime.ready;
    this.#parts = partsOf(options);
  }

  run(signal: AbortSignal): Promise<void> {
    return new RunGroup({
      parts: this.#parts,
      clock: this.#options.clock,
      stopTimeoutMs: 5000,
    }).run(signal);
  }
}

function partsOf(options: AgentOptions): readonly Part[] {
  const { dataDir, nodeName, server, survey, runtime, mounts, syncPeriodMs, metrics } = options;
  const { clock, random, logger, onNextTurn } = options;
  const base = { clock, random, logger };
  const paths = new AgentPaths(dataDir);
  const own = server && ownNode(options, server);
  const objects = objectsOf(options, own);
  const services = server && servicesOf(server, base);
  const subPaths = new SubPaths({ paths, mounts });
  const plugins = defaultPlugins({
    ...{ paths, mounts, objects, ...base },
    tokens: new TokenManager({ client: server?.client, ...base }),
    node: () => survey.node(),
    self: currentProcess(),
  });
  const volumes = new VolumeManager({
    ...{ paths, plugins, objects, mounts, subPaths, syncPeriodMs, metrics, onNextTurn, ...base },
  });
  const events =
    server &&
    new EventRecorder({
      client: server.client,
      component: "driftless-agent",
      host: nodeName,
      ...base,
    });
  const source = new PodSource({
    client: server?.client,
    files: new StaticPods({ directory: options.manifests, nodeName, clock, logger }),
    nodeName,
    nodeUid: () => own?.uid,
    ...base,
  });
  const prepare: PrepareParts = {
    ...{ paths, objects, volumes, subPaths },
    node: () => survey.node(),
    isStatic: (pod) => source.isStatic(pod),
    services: () => (services === undefined ? [] : knownServices(services)),
  };
  const pods = new NodePods({
    ...{ paths, runtime, volumes, objects, source, ...base },
    node: {
      name: nodeName,
      get addresses() {
        return survey.node().addresses;
      },
    },
    prepareContainer: (of, one) => prepareContainer(prepare, of, one),
    statuses: new StatusWriter({
      pods: source.pods,
      onServer: (pod) => source.onServer(pod),
      ...base,
    }),
    events: events ?? loggedEvents(logger),
    metrics: podMetrics(metrics),
  });
  return [
    ...options.runtimeParts,
    { name: "runtime", run: (signal) => runtime.run(signal), ready: runtime.ready },
    { name: "objects", run: (signal) => objects.run(signal) },
    ...(events === undefined
      ? []
      : [{ name: "events", run: (signal: AbortSignal) => events.run(signal) }]),
    ...(services === undefined
      ? []
      : [{ name: "services", run: (signal: AbortSignal) => runServices(services, pods, signal) }]),
    { name: "volumes", run: (signal) => volumes.run(signal) },
    ...(server && own ? nodeParts(options, server, own) : []),
    { name: "pods", run: (signal) => pods.run(signal) },
    { name: "rounds", run: (signal) => rounds(objects, options, signal) },
  ];
}

function ownNode(
  { nodeName, survey, clock, random, logger }: AgentOptions,
  { client }: ServerSide,
): OwnNode {
  const { labels } = survey.facts;
  const nodes = new ResourceClient<never>(client, NODES);
  return new OwnNode({ nodeName, labels, client, nodes, clock, random, logger });
}

function objectsOf(options: AgentOptions, own: OwnNode | undefined): UpkeptObjects {
  const { server, strategy, syncPeriodMs, clock, random, logger, metrics } = options;
  if (server === undefined) return new NoObjects();
  return createObjectManager(strategy, {
    ...{ client: server.client, clock, random, logger, metrics },
    ttlMs: ttlOfNode(() => own?.object),
    maxIdleMs: Math.max(60_000, IDLE_PERIODS * syncPeriodMs),
  });
}

function nodeParts(options: AgentOptions, server: ServerSide, own: OwnNode): readonly Part[] {
  const { nodeName, survey, clock, random, logger, metrics } = options;
  const { client, identity } = server;
  const base = { clock, random, logger };
  const lease = new NodeLease({
    nodeName,
    own,
    leases: new ResourceClient(client, LEASES),
    ...base,
  });
  const status = new NodeStatusWriter({
    own,
    nodes: new ResourceClient(client, NODES),
    look: () => survey.look(),
    missing: options.missing,
    ...base,
  });
  const { files } = identity;
  const renewal = files && new CertificateRenewal({ files, nodeName, client, metrics, ...base });
  return [
    { name: "node", run: (signal) => own.run(signal) },
    { name: "node status", run: (signal) => status.run(signal) },
    { name: "node lease", run: (signal) => lease.run(signal) },
    ...(renewal
      ? [{ name: "certificate", run: (signal: AbortSignal) => renewal.run(signal) }]
      : []),
  ];
}

type StoredService = Service & ApiObject;

function servicesOf(
  { client }: ServerSide,
  base: { readonly clock: Clock; readonly random: Random; readonly logger: Logger },
): Informer<StoredService> {
  const listWatch = listWatchOf<StoredService>({ client, kind: SERVICES });
  return new Informer({ listWatch, indexers: {}, startsWithNewest: false, ...base });
}

/** A container that was to start before they were known does so then. */
async function runServices(
  services: Informer<StoredService>,
  { workers }: NodePods,
  signal: AbortSignal,
): Promise<void> {
  void services.synced.then(() => workers.allCausesChanged());
  await services.run(signal);
}

function knownServices(services: Informer<StoredService>): readonly Service[] | undefined {
  return services.hasSynced ? services.list() : undefined;
}

/** What no event tells of. */
function rounds(
  objects: UpkeptObjects,
  { clock, random, syncPeriodMs }: AgentOptions,
  signal: AbortSignal,
): Promise<void> {
  return untilAborted(signal, async () => {
    for (;;) {
      await clock.sleep(syncPeriodMs * (1 + random.next() / 2), signal);
      await objects.recheck(signal);
    }
  });
}
