// Gives every pod a node. Deciding is done in one turn on a picture of the cluster that informers keep up to date (placePod); what
// was decided counts from then on, and only writing it takes time, several pods at once.

import type { ApiObject } from "../../api/object.ts";
import { isNotFound, StatusError } from "../../api/status-error.ts";
import type { Namespace } from "../../api/types.ts";
import { aborted, isAbort } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { Informer } from "../../client/informer.ts";
import { keyOf } from "../../client/reflector.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import type { ControllerContext, RunnableController } from "../../controller/controller-context.ts";
import type { Events } from "../../controller/event-recorder.ts";
import { BY_NODE } from "../../controller/informers.ts";
import { referenceTo } from "../../controller/owner.ts";
import { POD, servedKind } from "../pods/pod-object.ts";
import { Binder } from "./binder.ts";
import { ClusterNews } from "./cluster-news.ts";
import { ClusterState } from "./cluster-state.ts";
import type { SchedulableNode } from "./node-info.ts";
import { placePod } from "./place-pod.ts";
import { type PodInfo, podInfoOf, type SchedulablePod } from "./pod-info.ts";
import { isToPlace, nodeOf, POD_GONE } from "./relevant-changes.ts";
import { type Unscheduled, unscheduledPatch } from "./scheduled-condition.ts";
import { type Outcome, type QueuedPod, SchedulingQueue } from "./scheduling-queue.ts";

/** How many pods are written about at a time. */
const WRITERS = 16;
/** Deciding for so long without a pause would keep everybody else in the process waiting. */
const TURN_MS = 20;

export class Scheduler implements RunnableController {
  readonly name = "scheduler";
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #logger: Logger;
  readonly #events: Events;
  readonly #pods: Informer<SchedulablePod>;
  readonly #nodes: Informer<SchedulableNode>;
  readonly #namespaces: Informer<Namespace & ApiObject>;
  readonly #podClient: ResourceClient<SchedulablePod>;
  readonly #binder: Binder;
  readonly #state = new ClusterState();
  readonly #queue: SchedulingQueue;
  readonly #news: ClusterNews;
  /** How long deciding has taken since the last pause. */
  #busyMs = 0;

  constructor({ client, informers, eventsOf, clock, random, logger }: ControllerContext) {
    this.#clock = clock;
    this.#random = random;
    this.#logger = logger.child({ controller: this.name });
    this.#events = eventsOf("default-scheduler");
    this.#queue = new SchedulingQueue(clock);
    this.#pods = informers.of(POD);
    this.#nodes = informers.of(servedKind("v1", "Node"));
    this.#namespaces = informers.of(servedKind("v1", "Namespace"));
    this.#podClient = new ResourceClient(client, POD);
    this.#binder = new Binder({ client, pods: this.#podClient, clock, random });
    const news = new ClusterNews(this.#state, this.#queue);
    this.#namespaces.onChange((change) => news.ofNamespace(change));
    this.#nodes.onChange((change) => news.ofNode(change));
    this.#pods.onChange((change) => news.ofPod(change));
    this.#news = news;
  }

  async run(signal: AbortSignal): Promise<void> {
    const synced = [this.#pods, this.#nodes, this.#namespaces].map((informer) => informer.synced);
    await Promise.race([Promise.all(synced), aborted(signal)]);
    for (const pod of this.#pods.byIndex(BY_NODE, "")) this.#news.ofUnplaced(pod);
    await Promise.all(Array.from({ length: WRITERS }, () => this.#work(signal)));
    this.#queue.clear();
  }

  async #work(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await this.#giveWay(signal);
        const taken = await this.#queue.take(signal);
        this.#queue.finish(taken, await this.#attemptSafely(taken, signal));
      }
    } catch (err) {
      if (!isAbort(err, signal)) throw err;
    }
  }

  /** One pod that cannot be handled must not keep others from their nodes. */
  async #attemptSafely(taken: QueuedPod, signal: AbortSignal): Promise<Outcome> {
    try {
      return await this.#attempt(taken, signal);
    } catch (err) {
      if (isAbort(err, signal)) throw err;
      this.#logger.error("scheduling failed", { key: taken.key, err });
      return "failed";
    }
  }

  async #attempt(taken: QueuedPod, signal: AbortSignal): Promise<Outcome> {
    const pod = this.#pods.get(taken.key);
    if (pod === undefined || !isToPlace(pod) || this.#state.placeOf(pod.metadata.uid ?? "")) {
      return "done";
    }
    const { namespace, name } = pod.metadata;
    if (pod.metadata.deletionTimestamp != null) {
      this.#tell(pod, "FailedScheduling", `skip schedule deleting pod: ${namespace}/${name}`);
      return "done";
    }
    const beganMs = this.#clock.monotonicMs();
    const info = podInfoOf(pod);
    const placement = placePod(info, this.#state, this.#random);
    this.#busyMs += this.#clock.monotonicMs() - beganMs;
    if ("node" in placement) return this.#bind(info, placement.node, signal);
    this.#queue.block(taken, placement.blockers);
    const { message } = placement;
    const isTold = await this.#tellUnscheduled(pod, { reason: "Unschedulable", message }, signal);
    return isTold ? "blocked" : "failed";
  }

  async #bind(info: PodInfo, node: string, signal: AbortSignal): Promise<Outcome> {
    const { pod } = info;
    this.#state.place(info, node);
    try {
      const bound = await this.#binder.bind(pod, node, signal);
      if ("on" in bound) {
        this.#bound(info, bound);
        return "done";
      }
      this.#unplace(pod);
      if ("isGone" in bound) return "done";
      const message = `running Bind plugin "DefaultBinder": ${bound.refused}`;
      await this.#tellUnscheduled(pod, { reason: "SchedulerError", message }, signal);
      return "failed";
    } catch (err) {
      this.#unplace(pod);
      throw err;
    }
  }

  #bound(
    info: PodInfo,
    { on: node, isOurs }: { readonly on: string; readonly isOurs: boolean },
  ): void {
    if (isOurs) {
      const { namespace, name } = info.pod.metadata;
      this.#tell(info.pod, "Scheduled", `Successfully assigned ${namespace}/${name} to ${node}`);
    } else if (this.#isSeenUnbound(info.pod)) {
      // Somebody else was faster.
      this.#state.place(info, node);
      this.#queue.wake(POD_GONE);
    }
  }

  /** The informer may know by now where it is, or that it is gone; then its word counts. */
  #unplace(pod: SchedulablePod): void {
    if (!this.#isSeenUnbound(pod)) return;
    if (this.#state.remove(pod.metadata.uid ?? "") !== undefined) this.#queue.wake(POD_GONE);
  }

  #isSeenUnbound(pod: SchedulablePod): boolean {
    const seen = this.#pods.get(keyOf(pod));
    return seen !== undefined && seen.metadata.uid === pod.metadata.uid && nodeOf(seen) === "";
  }

  /** False if the server did not take it. */
  async #tellUnscheduled(
    pod: SchedulablePod,
    why: Unscheduled,
    signal: AbortSignal,
  ): Promise<boolean> {
    this.#tell(pod, "FailedScheduling", why.message);
    const patch = unscheduledPatch(pod, why, this.#clock.now());
    if (patch === undefined) return true;
    const { namespace, name = "" } = pod.metadata;
    try {
      const options = { type: "strategic", subresource: "status", signal } as const;
      await this.#podClient.patch({ namespace, name }, patch, options);
      return true;
    } catch (err) {
      signal.throwIfAborted();
      // It is gone, and perhaps another pod has its name.
      if (isNotFound(err) || (err instanceof StatusError && err.code === 409)) return true;
      this.#logger.warn("status of pod not written", { namespace, name, err });
      return false;
    }
  }

  #tell(pod: SchedulablePod, reason: "Scheduled" | "FailedScheduling", message: string): void {
    const object = referenceTo(POD, pod);
    const type = reason === "Scheduled" ? "Normal" : "Warning";
    this.#events.record({ object, type, reason, message });
  }

  /** Lets others have their turn when deciding has taken long. */
  async #giveWay(signal: AbortSignal): Promise<void> {
    if (this.#busyMs < TURN_MS) return;
    this.#busyMs = 0;
    await this.#clock.sleep(0, signal);
  }
}
