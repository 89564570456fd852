// The ReplicaSets of one Deployment: the current one, which has the Deployment's template, and the old ones, which have earlier ones.

import type { PodTemplateSpec } from "../../api/types.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import { type DeploymentObject, HASH_LABEL, type ReplicaSetObject } from "./deployment-objects.ts";

export interface ReplicaSets {
  /** Missing until it is made. */
  readonly current: ReplicaSetObject | undefined;
  /** Oldest first. */
  readonly old: readonly ReplicaSetObject[];
}

/** A ReplicaSet that should have another number of pods. */
export interface Scaling {
  readonly replicaSet: ReplicaSetObject;
  readonly replicas: number;
}

/** Of several with the current template the oldest is current: everyone who looks chooses the same. */
export function sortReplicaSets(
  { spec }: DeploymentObject,
  replicaSets: readonly ReplicaSetObject[],
): ReplicaSets {
  const sorted = replicaSets.toSorted(byAge);
  const current = sorted.find((set) => isSameTemplate(set.spec.template, spec.template));
  return { current, old: sorted.filter((set) => set !== current) };
}

export function allOf({ current, old }: ReplicaSets): readonly ReplicaSetObject[] {
  return current === undefined ? old : [...old, current];
}

/** Those that have pods, or are to have some. */
export function activeOf(sets: readonly ReplicaSetObject[]): readonly ReplicaSetObject[] {
  return sets.filter((set) => sizeOf(set) > 0);
}

/** The pods that it is to have. */
export function sizeOf({ spec }: ReplicaSetObject): number {
  return spec.replicas ?? 1;
}

/** Its status is about its present size: until then it may count pods that are gone. */
export function isObserved({ metadata, status }: ReplicaSetObject): boolean {
  return (metadata.generation ?? 0) <= (status.observedGeneration ?? 0);
}

export function totalSize(sets: readonly ReplicaSetObject[]): number {
  return sum(sets, sizeOf);
}

export function sum(
  sets: readonly ReplicaSetObject[],
  count: (set: ReplicaSetObject) => number | undefined,
): number {
  return sets.reduce((total, set) => total + (count(set) ?? 0), 0);
}

/** Oldest first; by name if they were made in the same second. */
export function byAge(a: ReplicaSetObject, b: ReplicaSetObject): number {
  return (
    compareTexts(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
    compareTexts(a.metadata.name, b.metadata.name)
  );
}

/** The label that tells the ReplicaSets of a Deployment apart is no difference. */
export function isSameTemplate(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return (
    semanticEqual(a.spec, b.spec) && semanticEqual(withoutHash(a.metadata), withoutHash(b.metadata))
  );
}

function withoutHash(metadata: PodTemplateSpec["metadata"]): PodTemplateSpec["metadata"] {
  const { [HASH_LABEL]: _, ...labels } = metadata.labels ?? {};
  return { ...metadata, labels };
}

function compareTexts(a = "", b = ""): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
