// Deletes pods that do not, or no longer, tolerate a NoExecute taint of their node. What is planned is looked at again when its time
// has come, so a taint that went away in between needs no bookkeeping to be forgotten.

import { isNotFound, StatusError } from "../../api/status-error.ts";
import type { Taint } from "../../api/types.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import type { Informer } from "../../client/informer.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import { Controller } from "../../controller/controller.ts";
import type { ControllerContext, RunnableController } from "../../controller/controller-context.ts";
import type { Events } from "../../controller/event-recorder.ts";
import { BY_NODE } from "../../controller/informers.ts";
import { keyOfObject, POD, type PodObject } from "../pods/pod-object.ts";
import { drivingTaints, type Exposure, evictionTime, exposureTo } from "./eviction-time.ts";
import { NODE, type NodeObject, timestamp } from "./node-objects.ts";

const WORKERS = 8;
/** When the copy of a node and the node itself differ: until the copy has caught up. */
const LAG_MS = 1000;

interface Planned {
  readonly uid: string | undefined;
  readonly exposures: ReadonlyMap<string, Exposure>;
  isTold: boolean;
}

export class TaintEviction implements RunnableController {
  readonly name = "taint-eviction-controller";
  readonly #context: ControllerContext;
  readonly #loop: Controller;
  readonly #nodes: Informer<NodeObject>;
  readonly #pods: Informer<PodObject>;
  readonly #podClient: ResourceClient<PodObject>;
  readonly #nodeClient: ResourceClient<NodeObject>;
  readonly #events: Events;
  /** Pods that will be deleted if nothing changes. */
  readonly #planned = new Map<string, Planned>();

  constructor(context: ControllerContext) {
    const { client, informers, clock, random, logger } = context;
    this.#context = context;
    this.#nodes = informers.of<NodeObject>(NODE);
    this.#pods = informers.of<PodObject>(POD);
    this.#podClient = new ResourceClient(client, POD);
    this.#nodeClient = new ResourceClient(client, NODE);
    this.#events = context.eventsOf(this.name);
    this.#loop = new Controller({
      name: this.name,
      workers: WORKERS,
      synced: async () => void (await Promise.all([this.#nodes.synced, this.#pods.synced])),
      sync: (key, signal) => this.#sync(key, signal),
      ...{ clock, random, logger, loops: context.loops },
    });
    this.#pods.onChange((change) => {
      const isSame = change.type === "updated" && isSameForUs(change.object, change.old);
      if (!isSame) this.#loop.queue.add(keyOfObject(change.object));
    });
    this.#nodes.onChange((change) => {
      const { object } = change;
      const before = change.type === "updated" ? taintsOf(change.old) : [];
      const after = change.type === "deleted" ? [] : taintsOf(object);
      if (semanticEqual(before, after) && change.type !== "deleted") return;
      const pods = this.#pods.byIndex(BY_NODE, object.metadata.name ?? "");
      for (const pod of pods) this.#loop.queue.add(keyOfObject(pod));
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#loop.run(signal);
    this.#planned.clear();
  }

  async #sync(key: string, signal: AbortSignal): Promise<number | undefined> {
    const { clock } = this.#context;
    const pod = this.#pods.get(key);
    const taints = this.#taintsAround(pod);
    if (pod === undefined || taints.length === 0) {
      this.#cancel(key);
      return undefined;
    }
    const planned = this.#plan(key, pod, taints);
    const exposureOf = (taint: Taint): Exposure =>
      planned.exposures.get(idOf(taint)) ?? exposureTo(taint, this.#now());
    const atMs = evictionTime(taints, pod.spec.tolerations ?? [], exposureOf);
    if (atMs === Number.POSITIVE_INFINITY) {
      this.#cancel(key);
      return undefined;
    }
    const inMs = atMs - clock.monotonicMs();
    this.#planned.set(key, planned);
    if (inMs > 0) return inMs;
    if (!(await this.#isStillSo(pod, taints, signal))) return LAG_MS;
    await this.#evict(key, pod, signal);
    return undefined;
  }

  /** None for a pod that is going anyway. */
  #taintsAround(pod: PodObject | undefined): readonly Taint[] {
    const { nodeName = "" } = pod?.spec ?? {};
    if (nodeName === "" || pod?.metadata.deletionTimestamp != null) return [];
    const node = this.#nodes.get(nodeName);
    return node === undefined ? [] : taintsOf(node);
  }

  #plan(key: string, { metadata: { uid } }: PodObject, taints: readonly Taint[]): Planned {
    const held = this.#planned.get(key);
    const before = held?.uid === uid ? held : undefined;
    const exposures = taints.map((taint) => {
      const id = idOf(taint);
      return [id, before?.exposures.get(id) ?? exposureTo(taint, this.#now())] as const;
    });
    return { uid, exposures: new Map(exposures), isTold: before?.isTold === true };
  }

  /** A watch that has stalled must not cost a pod. */
  async #isStillSo(
    { spec: { nodeName: name = "" } }: PodObject,
    taints: readonly Taint[],
    signal: AbortSignal,
  ): Promise<boolean> {
    try {
      return semanticEqual(taintsOf(await this.#nodeClient.get({ name }, { signal })), taints);
    } catch (err) {
      if (isNotFound(err)) return false;
      throw err;
    }
  }

  async #evict(key: string, pod: PodObject, signal: AbortSignal): Promise<void> {
    const planned = this.#planned.get(key);
    if (planned?.isTold === false) {
      planned.isTold = true;
      this.#tell(key, `Marking for deletion Pod ${key}`);
    }
    const { namespace, name = "", uid } = pod.metadata;
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByTaintManager",
      message: "Taint manager: deleting due to NoExecute taint",
      lastTransitionTime: timestamp(this.#context.clock.now()),
    };
    try {
      await this.#podClient.patch(
        { namespace, name },
        { metadata: { uid }, status: { conditions: [condition] } },
        { type: "strategic", subresource: "status", signal },
      );
      const preconditions = uid === undefined ? {} : { preconditions: { uid } };
      await this.#podClient.delete({ namespace, name }, { ...preconditions, signal });
    } catch (err) {
      // It has gone, or another one has its name, which is looked at by itself.
      if (!(err instanceof StatusError && [404, 409, 422].includes(err.code))) throw err;
    }
    this.#planned.delete(key);
  }

  #cancel(key: string): void {
    const planned = this.#planned.get(key);
    this.#planned.delete(key);
    if (planned?.isTold === false) this.#tell(key, `Cancelling deletion of Pod ${key}`);
  }

  #tell(key: string, message: string): void {
    const [namespace = "", name = ""] = key.split("/");
    const object = { apiVersion: "v1", kind: "Pod", namespace, name };
    this.#events.record({ object, type: "Normal", reason: "TaintManagerEviction", message });
  }

  #now(): { readonly wallMs: number; readonly monotonicMs: number } {
    const { clock } = this.#context;
    return { wallMs: clock.now(), monotonicMs: clock.monotonicMs() };
  }
}

function taintsOf({ spec }: NodeObject): readonly Taint[] {
  return drivingTaints(spec?.taints);
}

function isSameForUs(pod: PodObject, old: PodObject): boolean {
  return (
    pod.spec.nodeName === old.spec.nodeName &&
    pod.metadata.deletionTimestamp === old.metadata.deletionTimestamp &&
    semanticEqual(pod.spec.tolerations, old.spec.tolerations)
  );
}

/** A taint that was taken away and given again is another one. */
function idOf({ key, value = "", timeAdded = "" }: Taint): string {
  return `${key} ${value} ${timeAdded}`;
}
