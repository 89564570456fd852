// Everything that can need a copy: pods, what makes pods, and what a workload can be taken back to.

import { isJsonObject, type JsonValue } from "../../api/json.ts";
import type { ApiObject } from "../../api/object.ts";
import type { PodSpec } from "../../api/types.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import { servedKind } from "../pods/pod-object.ts";
import { referredIn } from "./config-references.ts";

export interface ReferringKind {
  readonly kind: ResourceKind;
  /** Where the pod spec is in its objects. */
  readonly path: readonly string[];
  /** Changes are followed; others are asked for before something is removed. */
  readonly isFollowed: boolean;
}

const TEMPLATE = ["spec", "template", "spec"];

/**
 * In the order in which they are asked: references go from templates to ReplicaSets and revisions, and from there to pods. What moves on
 * while we ask is found one step later.
 */
export const REFERRING: readonly ReferringKind[] = [
  { kind: servedKind("apps/v1", "Deployment"), path: TEMPLATE, isFollowed: true },
  { kind: servedKind("apps/v1", "DaemonSet"), path: TEMPLATE, isFollowed: true },
  { kind: servedKind("apps/v1", "StatefulSet"), path: TEMPLATE, isFollowed: true },
  {
    kind: servedKind("batch/v1", "CronJob"),
    path: ["spec", "jobTemplate", ...TEMPLATE],
    isFollowed: false,
  },
  { kind: servedKind("batch/v1", "Job"), path: TEMPLATE, isFollowed: false },
  { kind: servedKind("apps/v1", "ReplicaSet"), path: TEMPLATE, isFollowed: true },
  {
    kind: servedKind("apps/v1", "ControllerRevision"),
    path: ["data", ...TEMPLATE],
    isFollowed: true,
  },
  { kind: servedKind("v1", "Pod"), path: ["spec"], isFollowed: true },
];

/** "ConfigMap/app" of each. */
export function referredBy(
  { path }: Pick<ReferringKind, "path">,
  object: ApiObject,
): readonly string[] {
  let value: JsonValue | undefined = object;
  for (const part of path) value = isJsonObject(value) ? value[part] : undefined;
  return isJsonObject(value) ? referredIn(value as unknown as PodSpec) : [];
}
