// What the informers tell: into the picture of the cluster, and to those pods in the queue for whom it may be good news.

import type { ApiObject } from "../../api/object.ts";
import type { Namespace } from "../../api/types.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import type { Change } from "../../client/informer.ts";
import { keyOf } from "../../client/reflector.ts";
import type { ClusterState } from "./cluster-state.ts";
import type { SchedulableNode } from "./node-info.ts";
import { podInfoOf, type SchedulablePod } from "./pod-info.ts";
import {
  changesOfNode,
  changesOfPod,
  hasChanged,
  isOver,
  isToPlace,
  NAMESPACE_CHANGED,
  NODE_GONE,
  nodeOf,
  POD_GONE,
  POD_PLACED,
} from "./relevant-changes.ts";
import type { SchedulingQueue } from "./scheduling-queue.ts";

export class ClusterNews {
  readonly #state: ClusterState;
  readonly #queue: SchedulingQueue;

  constructor(state: ClusterState, queue: SchedulingQueue) {
    this.#state = state;
    this.#queue = queue;
  }

  ofPod(change: Change<SchedulablePod>): void {
    const { object: pod } = change;
    if (change.type === "deleted" || isOver(pod)) {
      this.#gone(pod);
      return;
    }
    const old = change.type === "updated" ? change.old : undefined;
    if (old !== undefined && !hasChanged(old, pod)) return;
    if (nodeOf(pod) === "") this.ofUnplaced(pod);
    else this.#placed(pod, old);
  }

  ofUnplaced(pod: SchedulablePod): void {
    if (isToPlace(pod)) this.#queue.add(keyOf(pod), pod.spec.priority ?? 0);
    else this.#queue.remove(keyOf(pod));
  }

  ofNode(change: Change<SchedulableNode>): void {
    const { object: node } = change;
    if (change.type === "deleted") {
      this.#state.deleteNode(node.metadata.name ?? "");
      this.#queue.wake(NODE_GONE);
      return;
    }
    this.#state.setNode(node);
    if (change.type === "added") this.#queue.wake();
    else this.#queue.wake(changesOfNode(change.old, node));
  }

  ofNamespace(change: Change<Namespace & ApiObject>): void {
    const { name = "", labels } = change.object.metadata;
    if (change.type === "updated" && semanticEqual(labels, change.old.metadata.labels)) return;
    this.#state.setNamespace(name, change.type === "deleted" ? undefined : (labels ?? {}));
    this.#queue.wake(NAMESPACE_CHANGED);
  }

  #gone(pod: SchedulablePod): void {
    this.#queue.remove(keyOf(pod));
    const wasPlaced = this.#state.remove(pod.metadata.uid ?? "") !== undefined;
    if (wasPlaced) this.#queue.wake(POD_GONE);
  }

  /** It is on a node: what the scheduler thought of it counts no more. */
  #placed(pod: SchedulablePod, old: SchedulablePod | undefined): void {
    this.#queue.remove(keyOf(pod));
    this.#state.place(podInfoOf(pod), nodeOf(pod));
    const isNew = old === undefined || nodeOf(old) === "";
    this.#queue.wake(isNew ? POD_PLACED : changesOfPod(old, pod));
  }
}
