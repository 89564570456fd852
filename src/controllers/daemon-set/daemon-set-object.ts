// DaemonSets and their revisions as the controller reads and writes them.

import type { ApiObject } from "../../api/object.ts";
import type { ControllerRevision, DaemonSet, Node } from "../../api/types.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import type { PodObject } from "../pods/pod-object.ts";
import { servedKind } from "../pods/pod-object.ts";

export type DaemonSetObject = DaemonSet & ApiObject;
export type RevisionObject = ControllerRevision & ApiObject;
export type NodeObject = Node & ApiObject;

export const DAEMON_SET: ResourceKind = servedKind("apps/v1", "DaemonSet");
export const CONTROLLER_REVISION: ResourceKind = servedKind("apps/v1", "ControllerRevision");
export const NODE: ResourceKind = servedKind("v1", "Node");

/** The name of the revision that a pod was made by. */
export const HASH_LABEL = "controller-revision-hash";
/** What older versions of the API had in its place. */
const GENERATION_LABEL = "pod-template-generation";
const GENERATION_ANNOTATION = "deprecated.daemonset.template.generation";

/** The label of older versions, for those who still look at it. */
export function generationLabel({ metadata }: DaemonSetObject): Readonly<Record<string, string>> {
  const text = metadata.annotations?.[GENERATION_ANNOTATION] ?? "";
  return /^[-+]?\d+$/.test(text) ? { [GENERATION_LABEL]: String(BigInt(text)) } : {};
}

/** Made by the template that the set has now. */
export function isUpdated(set: DaemonSetObject, pod: PodObject, hash: string): boolean {
  const labels = pod.metadata.labels ?? {};
  if (hash !== "" && labels[HASH_LABEL] === hash) return true;
  const generation = generationLabel(set)[GENERATION_LABEL];
  return generation !== undefined && labels[GENERATION_LABEL] === generation;
}
