// Whether rollouts kept what they promise, from every event of pods, ReplicaSets and Deployments in the order of their revisions:
//   floor    nothing that a controller deletes takes the ready pods of a Deployment below replicas - maxUnavailable;
//   ceiling  no pod is made beyond replicas + maxSurge. Pods that terminate do not count.
// What is not the controllers' doing is accounted for exactly. A pod that was ready and broke by itself counts as if it were ready
// for as long as it is broken, and no longer. A Deployment that was changed is judged by the more lenient of its generations until
// the controller has said that it saw the change, and so is what a ReplicaSet does because of a size that it was given before that.
// None of this is shared with the code that is judged.

import type { Deployment, Pod, ReplicaSet } from "../../src/api/types.ts";

export type WatchedKind = "Deployment" | "ReplicaSet" | "Pod";

export interface WatchedEvent {
  readonly kind: WatchedKind;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: Deployment | ReplicaSet | Pod;
}

interface Limits {
  readonly generation: number;
  readonly floor: number;
  readonly ceiling: number;
}

interface InForce {
  /** Of each generation that may still be acted on, oldest first. */
  limits: readonly Limits[];
}

interface SetState extends InForce {
  readonly deployment: string;
  size: number;
}

interface DeploymentState extends InForce {
  readonly name: string;
}

interface PodState {
  readonly deployment: string;
  readonly set: string;
  readonly isReady: boolean;
  /** It was ready and broke by itself. */
  readonly isLost: boolean;
  /** It is not terminating and has not ended. */
  readonly isActive: boolean;
  /** It is terminating or gone. */
  readonly isGoing: boolean;
}

/** How much there was to judge: a run in which nothing happened proves nothing. */
export interface Tally {
  /** Ready pods that a controller deleted. */
  deletions: number;
  /** Deletions after which there were exactly as many left as promised. */
  atTheFloor: number;
  creations: number;
  atTheCeiling: number;
  /** Pods that broke by themselves. */
  losses: number;
  /** Deletions that are within the promise only because of these. */
  excused: number;
}

export class RolloutJudge {
  readonly violations: string[] = [];
  readonly tally: Tally = {
    deletions: 0,
    atTheFloor: 0,
    creations: 0,
    atTheCeiling: 0,
    losses: 0,
    excused: 0,
  };
  readonly #deployments = new Map<string, DeploymentState>();
  readonly #sets = new Map<string, SetState>();
  readonly #pods = new Map<string, PodState>();

  /** Events of all three kinds in the order of their revisions, each once. */
  see({ kind, type, object }: WatchedEvent): void {
    switch (kind) {
      case "Deployment":
        this.#seeDeployment(type, object as Deployment);
        break;
      case "ReplicaSet":
        this.#seeSet(type, object as ReplicaSet);
        break;
      case "Pod":
        this.#seePod(type, object as Pod);
        break;
    }
  }

  #seeDeployment(type: WatchedEvent["type"], object: Deployment): void {
    const { uid = "", name = "", deletionTimestamp, generation = 0 } = object.metadata;
    if (type === "DELETED" || deletionTimestamp != null) {
      this.#deployments.delete(uid);
      return;
    }
    const state = this.#deployments.get(uid) ?? { name, limits: [] };
    this.#deployments.set(uid, state);
    if (state.limits.at(-1)?.generation !== generation) {
      state.limits = [...state.limits, { generation, ...promiseOf(object) }];
    }
    // Who has seen a generation does nothing more because of those before it.
    const observed = Math.min(object.status?.observedGeneration ?? 0, generation);
    state.limits = state.limits.filter((one) => one.generation >= observed);
  }

  #seeSet(type: WatchedEvent["type"], object: ReplicaSet): void {
    const { uid = "", generation = 0 } = object.metadata;
    const deployment = controllerOf(object);
    if (type === "DELETED" || deployment === "") {
      this.#sets.delete(uid);
      return;
    }
    const size = object.spec.replicas ?? 1;
    const state = this.#sets.get(uid) ?? { deployment, size: 0, limits: [] };
    this.#sets.set(uid, state);
    if (state.size !== size) {
      // What was in force when it was given this size.
      const given = lenient([this.#deployments.get(deployment)]);
      if (given !== undefined) state.limits = [...state.limits, { generation, ...given }];
      state.size = size;
    }
    // Pods are made and deleted before it is said that the size was seen.
    const observed = object.status?.observedGeneration ?? 0;
    state.limits = state.limits.filter((one) => one.generation > observed);
  }

  #seePod(type: WatchedEvent["type"], object: Pod): void {
    const { uid = "" } = object.metadata;
    const known = this.#pods.get(uid);
    const before = known ?? this.#newPod(object);
    if (before === undefined) return;
    const now = podAfter(before, type, object);
    if (type === "DELETED") this.#pods.delete(uid);
    else this.#pods.set(uid, now);
    if (known === undefined && now.isActive) this.#judgeCreation(object, now);
    if (!before.isReady || now.isReady) return;
    if (now.isGoing) this.#judgeDeletion(object, now);
    else this.tally.losses++;
  }

  /** Undefined if it is not of a Deployment. */
  #newPod(object: Pod): PodState | undefined {
    const set = controllerOf(object);
    const { deployment } = this.#sets.get(set) ?? {};
    if (deployment === undefined) return undefined;
    return { deployment, set, isReady: false, isLost: false, isActive: false, isGoing: false };
  }

  #judgeDeletion(pod: Pod, of: PodState): void {
    const limits = lenient([this.#deployments.get(of.deployment), this.#sets.get(of.set)]);
    if (limits === undefined) return;
    const ready = this.#count(of.deployment, ({ isReady }) => isReady);
    const lost = this.#count(of.deployment, ({ isLost }) => isLost);
    this.tally.deletions++;
    if (ready === limits.floor) this.tally.atTheFloor++;
    if (ready >= limits.floor) return;
    if (ready + lost >= limits.floor) this.tally.excused++;
    else {
      const rest = `${ready} ready pods (and ${lost} that broke), promised are ${limits.floor}`;
      this.#broken(pod, of, `its deletion leaves ${rest}`);
    }
  }

  #judgeCreation(pod: Pod, of: PodState): void {
    const limits = lenient([this.#deployments.get(of.deployment), this.#sets.get(of.set)]);
    if (limits === undefined) return;
    const active = this.#count(of.deployment, ({ isActive }) => isActive);
    this.tally.creations++;
    if (active === limits.ceiling) this.tally.atTheCeiling++;
    if (active <= limits.ceiling) return;
    this.#broken(pod, of, `with it there are ${active} pods, allowed are ${limits.ceiling}`);
  }

  #count(deployment: string, is: (pod: PodState) => boolean): number {
    const pods = [...this.#pods.values()];
    return pods.filter((pod) => pod.deployment === deployment && is(pod)).length;
  }

  #broken({ metadata }: Pod, { deployment }: PodState, how: string): void {
    const { name } = this.#deployments.get(deployment) ?? { name: deployment };
    const { resourceVersion } = metadata;
    this.violations.push(
      `revision ${resourceVersion}, deployment ${name}, pod ${metadata.name}: ${how}`,
    );
  }
}

function podAfter(before: PodState, type: WatchedEvent["type"], object: Pod): PodState {
  const isGoing = type === "DELETED" || object.metadata.deletionTimestamp != null;
  const isActive = !isGoing && !hasEnded(object);
  const isReady = isActive && hasReadyCondition(object);
  const isLost = isActive && !isReady && (before.isReady || before.isLost);
  return { ...before, isReady, isLost, isActive, isGoing };
}

/** The least that any of them promises, and the most that any of them allows. Undefined if there is nothing in force. */
function lenient(
  states: readonly (InForce | undefined)[],
): Pick<Limits, "floor" | "ceiling"> | undefined {
  const limits = states.flatMap((state) => state?.limits ?? []);
  if (states[0] === undefined || limits.length === 0) return undefined;
  return {
    floor: Math.min(...limits.map(({ floor }) => floor)),
    ceiling: Math.max(...limits.map(({ ceiling }) => ceiling)),
  };
}

/** What its spec says. Recreate promises no pod, and its new pods come after the old. */
function promiseOf({ spec }: Deployment): Pick<Limits, "floor" | "ceiling"> {
  const replicas = spec.replicas ?? 1;
  const { type, rollingUpdate } = spec.strategy ?? {};
  if (type === "Recreate") return { floor: 0, ceiling: replicas };
  const share = (value: number | string | undefined, round: (n: number) => number): number =>
    typeof value === "number"
      ? value
      : round((Number.parseInt(value ?? "25", 10) * replicas) / 100);
  const surge = share(rollingUpdate?.maxSurge, Math.ceil);
  const unavailable = share(rollingUpdate?.maxUnavailable, Math.floor);
  const missing = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return { floor: Math.max(0, replicas - missing), ceiling: replicas + surge };
}

function controllerOf({ metadata }: { readonly metadata: Pod["metadata"] }): string {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid ?? "";
}

function hasEnded({ status }: Pod): boolean {
  return status?.phase === "Failed" || status?.phase === "Succeeded";
}

function hasReadyCondition({ status }: Pod): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.status === "True";
}
