// The probes of all pods of this node. Which containers run is asked of the runtime when a pod is followed, and told by it when
// one ends; between the two nothing is looked up, so that probes cost only their questions.

import type { Container, Pod, ContainerStatus as ReportedContainer } from "../../api/types.ts";
import { aborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import type { Events } from "../../controller/event-recorder.ts";
import type { ContainerStatus, Runtime } from "../../runtime/runtime.ts";
import { isSidecar } from "../pods/restart-policy.ts";
import { ContainerProbes, type ProbingParts } from "./container-probes.ts";
import { ProbeMetrics } from "./probe-metrics.ts";
import type { ProbeFailure, Probes } from "./probes.ts";

export interface NodeProbesOptions {
  readonly runtime: Pick<Runtime, "list" | "onExit" | "exec">;
  readonly events: Events;
  readonly metrics: Metrics;
  /** Where a pod is reached, if its probe does not say. */
  readonly address: (pod: Pod) => string;
  /** "kube-probe/1.36". */
  readonly userAgent: string;
  readonly clock: Clock;
  readonly random: Random;
}

interface FollowedPod {
  /** The newest that was seen. */
  pod: Pod;
  isStopping: boolean;
  /** By container id; the newest of each name, while the runtime has it. */
  readonly containers: Map<string, ContainerProbes>;
}

export class NodeProbes implements Probes {
  readonly #options: NodeProbesOptions;
  readonly #parts: ProbingParts;
  readonly #pods = new Map<string, FollowedPod>();
  /** Those of all pods, by container id. */
  readonly #containers = new Map<string, ContainerProbes>();
  /** Of containers that are not asked any more, until their last question is over. */
  readonly #endings = new Set<Promise<void>>();
  readonly #handlers = new Set<(podUid: string) => void>();
  readonly #metrics: ProbeMetrics;
  /** The time of the day; undefined before and after `run`. */
  #startedMs: number | undefined;

  constructor(options: NodeProbesOptions) {
    this.#options = options;
    this.#metrics = new ProbeMetrics(options.metrics);
    this.#parts = { ...options, metrics: this.#metrics };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { runtime, clock } = this.#options;
    using _exits = runtime.onExit(({ id, podUid }) => this.#onExit(id, podUid));
    this.#startedMs = clock.now();
    for (const { pod } of this.#pods.values()) this.follow(pod);
    for (const one of this.#containers.values()) one.begin(this.#startedMs);
    await aborted(signal);
    this.#startedMs = undefined;
    for (const one of this.#containers.values()) this.#end(one);
    await Promise.all(this.#endings);
  }

  follow(pod: Pod): void {
    const { uid = "", deletionTimestamp } = pod.metadata;
    const followed: FollowedPod = this.#pods.get(uid) ?? newlyFollowed(pod);
    followed.pod = pod;
    this.#pods.set(uid, followed);
    const statuses = this.#newest(uid);
    for (const id of followed.containers.keys()) {
      if (!statuses.has(id)) this.#drop(followed, id);
    }
    for (const status of statuses.values()) this.#meet(followed, status);
    if (typeof deletionTimestamp === "string") this.stopping(uid);
  }

  stopping(podUid: string): void {
    const followed = this.#pods.get(podUid);
    if (followed === undefined) return;
    followed.isStopping = true;
    for (const one of followed.containers.values()) one.stopping();
  }

  forget(podUid: string): void {
    const followed = this.#pods.get(podUid);
    if (followed === undefined) return;
    for (const id of followed.containers.keys()) this.#drop(followed, id);
    this.#pods.delete(podUid);
    this.#metrics.forget(podUid);
  }

  isStarted(containerId: string): boolean {
    return this.#containers.get(containerId)?.isStarted ?? false;
  }

  isReady(containerId: string): boolean {
    return this.#containers.get(containerId)?.isReady ?? false;
  }

  failure(containerId: string): ProbeFailure | undefined {
    return this.#containers.get(containerId)?.failure;
  }

  onChange(handler: (podUid: string) => void): Disposable {
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => this.#handlers.delete(handler) };
  }

  /** By id: the last of each name. */
  #newest(podUid: string): ReadonlyMap<string, ContainerStatus> {
    const ofPod = this.#options.runtime.list(podUid);
    const byName = new Map(ofPod.map((one) => [one.name, one]));
    return new Map(Array.from(byName.values(), (one) => [one.id, one]));
  }

  #meet(followed: FollowedPod, status: ContainerStatus): void {
    const { id, name, podUid, end } = status;
    const known = this.#containers.get(id);
    if (end !== undefined) {
      if (known !== undefined) this.#end(known);
      return;
    }
    if (known !== undefined) return;
    const probes = new ContainerProbes({
      parts: this.#parts,
      pod: () => followed.pod,
      container: probedContainer(followed.pod, name),
      status,
      reported: reportedContainer(followed.pod, status),
      onChange: () => this.#tell(podUid),
    });
    this.#containers.set(id, probes);
    followed.containers.set(id, probes);
    if (followed.isStopping) probes.stopping();
    if (this.#startedMs !== undefined) probes.begin(this.#startedMs);
  }

  #drop({ containers }: FollowedPod, id: string): void {
    const probes = containers.get(id);
    containers.delete(id);
    this.#containers.delete(id);
    if (probes !== undefined) this.#end(probes);
  }

  #end(probes: ContainerProbes): void {
    probes.ended();
    const ending = probes.settled();
    this.#endings.add(ending);
    void ending.finally(() => this.#endings.delete(ending));
  }

  #onExit(id: string, podUid: string): void {
    const probes = this.#containers.get(id);
    if (probes === undefined) return;
    const wasStarted = probes.isStarted;
    this.#end(probes);
    if (wasStarted) this.#tell(podUid);
  }

  #tell(podUid: string): void {
    for (const handler of this.#handlers) handler(podUid);
  }
}

function newlyFollowed(pod: Pod): FollowedPod {
  return { pod, isStopping: false, containers: new Map() };
}

/** Only what goes on is probed: an init container that has to end, or one for debugging, has started when it runs. */
function probedContainer({ spec }: Pod, name: string): Container {
  const sidecars = (spec.initContainers ?? []).filter(isSidecar);
  const found = [...(spec.containers ?? []), ...sidecars].find((one) => one.name === name);
  return found ?? { name, resources: {} };
}

function reportedContainer(
  { status }: Pod,
  { id, name }: ContainerStatus,
): ReportedContainer | undefined {
  const { containerStatuses, initContainerStatuses } = status ?? {};
  const found = [...(containerStatuses ?? []), ...(initContainerStatuses ?? [])].find(
    (one) => one.name === name,
  );
  return found?.containerID?.endsWith(`://${id}`) === true ? found : undefined;
}
