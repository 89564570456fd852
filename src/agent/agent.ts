// The node agent, put together: from the server or from files come pods, from the server their objects; volumes and containers
// follow. What is here only says who needs whom.

import type { ApiObject } from "../api/object.ts";
import type { Pod, Service } from "../api/types.ts";
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
import { EventRecorder, type Events, loggedEvents } from "../controller/event-recorder.ts";
import { currentProcess } from "../files/process-identity.ts";
import { MountThread } from "../mounts/mount-thread.ts";
import type { Mounts } from "../mounts/mounts.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { AckDirectories } from "./acks/ack-directories.ts";
import { AgentPaths, type VolumePlace } from "./agent-paths.ts";
import { confirmationsOf } from "./confirmations.ts";
import { withApiService } from "./env/service-variables.ts";
import { createGate } from "./gate/create-gate.ts";
import type { GatedObjects } from "./gate/gated-objects.ts";
import { CertificateRenewal } from "./join/certificate-renewal.ts";
import type { NodeIdentity } from "./join/node-identity.ts";
import { LiveSubPaths } from "./live-sub-path/live-sub-paths.ts";
import { noticingStarts } from "./live-sub-path/noticing-starts.ts";
import { subPathMetrics } from "./live-sub-path/sub-path-metrics.ts";
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
import { NodeProbes } from "./probes/node-probes.ts";
import { NodeServer } from "./server/node-server.ts";
import type { ServedPod } from "./server/served-pods.ts";
import { SubPaths } from "./sub-path/sub-paths.ts";
import { followedByBoth } from "./tampering/followed-by-both.ts";
import { VolumeTampering } from "./tampering/volume-tampering.ts";
import { TokenManager } from "./tokens/token-manager.ts";
import { type ReportViewsOptions, reportViews } from "./views/report-views.ts";
import { defaultPlugins } from "./volumes/plugins/default-plugins.ts";
import { EmptyDirPlugin } from "./volumes/plugins/empty-dir-plugin.ts";
import { VolumeManager } from "./volumes/volume-manager.ts";
import type { VolumePlugin } from "./volumes/volume-plugin.ts";

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
  /** Where others may ask this node. Undefined: only its server may, through the tunnel. */
  readonly listen: { readonly host: string; readonly port: number } | undefined;
  readonly mounts: Mounts;
  /** Processes and threads of one container. Undefined: as many as the machine takes. */
  readonly pidsLimit: number | undefined;
  /** The kernel can replace what is mounted in a container that runs. */
  readonly canReplaceMounts: boolean;
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
/** What programs that are probed see, and some answer differently to. */
const PROBE_AGENT = "kube-probe/1.36";

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
  const services = server && servicesOf(server, base);
  const self = currentProcess();
  const subPaths = new SubPaths({ paths, mounts });
  const ackDirectories = new AckDirectories({ paths, mounts, logger });
  const events =
    server &&
    new EventRecorder({
      client: server.client,
      component: "driftless-agent",
      host: nodeName,
      ...base,
    });
  const told = events ?? loggedEvents(logger);
  const gate = server && gateOf(options, server, { own, events: told });
  const objects = gate ?? new NoObjects();
  const live = new LiveSubPaths({
    ...{ paths, runtime, ...base },
    replacer: new MountThread(clock),
    events: told,
    metrics: subPathMetrics(metrics),
  });
  const tampering = new VolumeTampering({ paths, events: told, clock, logger });
  const plugins = defaultPlugins({
    ...{ paths, mounts, objects, ...base },
    tokens: new TokenManager({ client: server?.client, ...base }),
    node: () => survey.node(),
    self,
    followers: followedByBoth(live, tampering),
  });
  const volumes = new VolumeManager({
    ...{ paths, plugins, objects, mounts, subPaths, syncPeriodMs, metrics, onNextTurn, ...base },
  });
  const source = new PodSource({
    client: server?.client,
    files: new StaticPods({ directory: options.manifests, nodeName, clock, logger }),
    nodeName,
    nodeUid: () => own?.uid,
    ...base,
  });
  const prepare: PrepareParts = {
    ...{ paths, objects, volumes, subPaths, acks: ackDirectories },
    canReplaceMounts: options.canReplaceMounts,
    pidsLimit: options.pidsLimit,
    node: () => survey.node(),
    isStatic: (pod) => source.isStatic(pod),
    services: () => (services ? knownServices(services, server) : []),
  };
  const statuses = new StatusWriter({
    pods: source.pods,
    onServer: (pod) => source.onServer(pod),
    ...base,
  });
  const probes = probesOf(options, told);
  const confirmations = confirmationsOf({
    ...{ paths, runtime, volumes, objects, metrics, ...base },
    directories: ackDirectories,
    events: told,
    pod: (uid) => pods.workers.get(uid)?.pod,
  });
  const pods: NodePods = new NodePods({
    ...{ paths, volumes, objects, source, probes, ...base },
    volumeUsage: usageOf(plugins),
    runtime: noticingStarts(runtime, async (status) => {
      await live.started(status);
      confirmations.started(status);
    }),
    node: {
      name: nodeName,
      bootId: self.bootId,
      get addresses() {
        return survey.node().addresses;
      },
    },
    prepareContainer: (of, one) => prepareContainer(prepare, of, one),
    statuses,
    events: told,
    metrics: podMetrics(metrics),
  });
  return [
    ...options.runtimeParts,
    { name: "runtime", run: (signal) => runtime.run(signal), ready: runtime.ready },
    { name: "objects", run: (signal) => objects.run(signal) },
    ...partIfAny("events", events),
    ...(services === undefined
      ? []
      : [{ name: "services", run: (signal: AbortSignal) => runServices(services, pods, signal) }]),
    { name: "live sub paths", run: (signal) => live.run(signal) },
    { name: "tampering", run: (signal) => tampering.run(signal) },
    { name: "volumes", run: (signal) => volumes.run(signal) },
    ...confirmations.parts,
    ...viewParts(
      { server, own, gate },
      {
        ...{ nodeName, source, statuses, workers: pods.workers, metrics, ...base },
        ...{ ...confirmations, tampering, volumes, subPaths: live, runtime },
      },
    ),
    ...(server && own
      ? nodeParts(options, server, { own, asked: askedOf(options, server, { pods, statuses }) })
      : []),
    { name: "probes", run: (signal) => probes.run(signal) },
    { name: "pods", run: (signal) => pods.run(signal) },
    { name: "rounds", run: (signal) => rounds(objects, options, signal) },
  ];
}

function partIfAny(name: string, part: Pick<Part, "run"> | undefined): readonly Part[] {
  return part === undefined ? [] : [{ name, run: (signal) => part.run(signal) }];
}

function probesOf(options: AgentOptions, events: Events): NodeProbes {
  const { runtime, metrics, survey, clock, random } = options;
  return new NodeProbes({
    ...{ runtime, metrics, clock, random, events, userAgent: PROBE_AGENT },
    // Pods share the machine's network.
    address: () => survey.node().addresses[0] ?? "127.0.0.1",
  });
}

function usageOf(plugins: readonly VolumePlugin[]): (place: VolumePlace) => Promise<number> {
  const emptyDirs = plugins.find((one) => one instanceof EmptyDirPlugin);
  return (place) => emptyDirs?.usage(place) ?? Promise.resolve(0);
}

function ownNode(
  { nodeName, survey, clock, random, logger }: AgentOptions,
  { client }: ServerSide,
): OwnNode {
  const { labels } = survey.facts;
  const nodes = new ResourceClient<never>(client, NODES);
  return new OwnNode({ nodeName, labels, client, nodes, clock, random, logger });
}

/** Everything that pods use of objects goes through it. */
function gateOf(
  options: AgentOptions,
  { client }: ServerSide,
  { own, events }: { readonly own: OwnNode | undefined; readonly events: Events },
): GatedObjects {
  const { dataDir, strategy, clock, random, logger, metrics } = options;
  const parts = { client, clock, random, logger, metrics };
  const objects = createObjectManager(strategy, {
    ...parts,
    ttlMs: ttlOfNode(() => own?.object),
    // Views have to say when an environment is out of date, so what only environments use stays watched.
    maxIdleMs: Number.POSITIVE_INFINITY,
  });
  return createGate({ ...parts, objects, dataDir, events });
}

/** Without a server there is nobody to tell. */
function viewParts(
  {
    server,
    own,
    gate,
  }: {
    readonly server: ServerSide | undefined;
    readonly own: OwnNode | undefined;
    readonly gate: GatedObjects | undefined;
  },
  options: Omit<ReportViewsOptions, "client" | "own" | "stages">,
): readonly Part[] {
  if (!(server && own && gate)) return [];
  const { client } = server;
  const run = (signal: AbortSignal): Promise<void> =>
    reportViews({ ...options, client, own, stages: gate }, signal);
  return [{ name: "views", run }];
}

/** Whom others ask about the pods. */
function askedOf(
  options: AgentOptions,
  { identity, client }: ServerSide,
  { pods, statuses }: { readonly pods: NodePods; readonly statuses: StatusWriter },
): NodeServer {
  const served = ({ pod, uid }: { readonly pod: Pod; readonly uid: string }): ServedPod => ({
    pod,
    status: statuses.get(uid) ?? pod.status,
  });
  const list = (): readonly ServedPod[] => pods.workers.all().map(served);
  const find = (namespace: string, name: string): ServedPod | undefined =>
    // Of several with this name the last is the newest.
    list().findLast(
      ({ pod: { metadata } }) => metadata.namespace === namespace && metadata.name === name,
    );
  return new NodeServer({ ...options, identity, client, pods: { list, find } });
}

function nodeParts(
  options: AgentOptions,
  server: ServerSide,
  { own, asked }: { readonly own: OwnNode; readonly asked: NodeServer },
): readonly Part[] {
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
    port: () => asked.port,
    ...base,
  });
  const { files } = identity;
  const hosts = options.listen === undefined ? [] : [nodeName];
  const onRenewed = (): void => asked.renew();
  const renewal =
    files &&
    new CertificateRenewal({ files, nodeName, hosts, client, metrics, onRenewed, ...base });
  return [
    { name: "node", run: (signal) => own.run(signal) },
    { name: "node status", run: (signal) => status.run(signal) },
    { name: "node lease", run: (signal) => lease.run(signal) },
    ...(renewal
      ? [{ name: "certificate", run: (signal: AbortSignal) => renewal.run(signal) }]
      : []),
    ...asked.parts,
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

function knownServices(
  services: Informer<StoredService>,
  { client }: ServerSide,
): readonly Service[] | undefined {
  return services.hasSynced ? withApiService(services.list(), client.server) : undefined;
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
