// A pod as the scheduler looks at it: what it asks for, worked out once.

import type { ApiObject } from "../../api/object.ts";
import type { Labels } from "../../api/selectors/label-requirement.ts";
import type { Pod, PodSpec, Toleration } from "../../api/types.ts";
import { controllerOf } from "../../controller/owner.ts";
import { type HostPort, hostPortsOf } from "./host-ports.ts";
import { requiredNodes } from "./node-affinity.ts";
import type { SchedulableNode } from "./node-info.ts";
import { guessedRequests, podRequests, type Resources } from "./pod-resources.ts";
import { type PodTerms, podTermsOf } from "./pod-terms.ts";

export type SchedulablePod = Pod & ApiObject;

export interface PodInfo {
  readonly pod: SchedulablePod;
  readonly spec: PodSpec;
  readonly uid: string;
  readonly namespace: string;
  readonly labels: Labels;
  /** It is being deleted: it takes up its place, but others are spread as if it were gone. */
  readonly isGoing: boolean;
  /** The uid of the ReplicaSet or whatever manages it. */
  readonly controller: string | undefined;
  readonly requests: Resources;
  /** With a guess for containers that do not say. */
  readonly guessed: Resources;
  readonly ports: readonly HostPort[];
  readonly tolerations: readonly Toleration[];
  readonly terms: PodTerms;
  /** Its node selector and required node affinity hold for this one. */
  readonly isOnNode: (node: SchedulableNode) => boolean;
}

export function podInfoOf(pod: SchedulablePod): PodInfo {
  const { metadata, spec } = pod;
  const namespace = metadata.namespace ?? "";
  return {
    pod,
    spec,
    uid: metadata.uid ?? "",
    namespace,
    labels: metadata.labels ?? {},
    isGoing: metadata.deletionTimestamp != null,
    controller: controllerOf(pod)?.uid,
    requests: podRequests(spec),
    guessed: guessedRequests(spec),
    ports: hostPortsOf(spec),
    tolerations: spec.tolerations ?? [],
    terms: podTermsOf(spec.affinity, namespace),
    isOnNode: requiredNodes(spec),
  };
}
