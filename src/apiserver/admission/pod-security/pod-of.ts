// The pod that an object is, or the pods that it will make.

import type { Kind } from "../../../api/kind.ts";
import type { ApiObject } from "../../../api/object.ts";
import type {
  CronJob,
  Deployment,
  PodTemplate,
  ReplicationController,
} from "../../../api/types.ts";
import type { PodLike } from "./findings.ts";

const templateOf: { readonly [resource: string]: (object: ApiObject) => PodLike | undefined } = {
  replicationcontrollers: ofWorkload,
  podtemplates: (object) => (object as ApiObject & PodTemplate).template,
  "replicasets.apps": ofWorkload,
  "deployments.apps": ofWorkload,
  "statefulsets.apps": ofWorkload,
  "daemonsets.apps": ofWorkload,
  "jobs.batch": ofWorkload,
  "cronjobs.batch": (object) => (object as ApiObject & CronJob).spec.jobTemplate.spec.template,
};

/** Undefined for kinds that make no pods, and for objects without a template. */
export function templateIn(kind: Kind, object: ApiObject): PodLike | undefined {
  const name = kind.group === "" ? kind.resource : `${kind.resource}.${kind.group}`;
  return Object.hasOwn(templateOf, name) ? templateOf[name]?.(object) : undefined;
}

/** All of these have it in the same place; only a ReplicationController may have none. */
function ofWorkload(object: ApiObject): PodLike | undefined {
  const workload = object as ApiObject & (Deployment | ReplicationController);
  return workload.spec.template;
}
