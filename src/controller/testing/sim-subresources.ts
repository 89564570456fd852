// Scale and binding, as the simulated cluster has them.

import type { JsonObject } from "../../api/json.ts";
import type { Kind } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import { conflict } from "../../api/status-error.ts";
import type { Binding, Deployment, Namespace, Pod, PodCondition, Scale } from "../../api/types.ts";
import { labelSelectorText } from "../../api/validation/label-selector.ts";

/** How many replicas an object has and should have. */
export function scaleOf(object: ApiObject): ApiObject {
  const { metadata, spec, status } = object as ApiObject & Deployment;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: JSON.parse(
      JSON.stringify({ name, namespace, uid, resourceVersion, creationTimestamp }),
    ) as ApiObject["metadata"],
    spec: (spec.replicas ?? 0) === 0 ? {} : { replicas: spec.replicas },
    status: { replicas: status.replicas ?? 0, selector: labelSelectorText(spec.selector) },
  };
}

/** The object with the number, and what the writer knew of it, from the Scale. */
export function withReplicas(live: ApiObject, scale: ApiObject): ApiObject {
  const { replicas = 0 } = (scale as ApiObject & Scale).spec;
  const { uid, resourceVersion } = scale.metadata;
  const object = structuredClone(live);
  return {
    ...object,
    metadata: { ...object.metadata, uid, resourceVersion },
    spec: { ...(object["spec"] as JsonObject), replicas },
  };
}

/** A namespace with the finalizers of its spec, and what the writer knew of it, from the one that was sent. */
export function withFinalizers(live: ApiObject, sent: ApiObject): ApiObject {
  const { finalizers = [] } = (sent as ApiObject & Namespace).spec;
  const { resourceVersion } = sent.metadata;
  const object = structuredClone(live);
  return {
    ...object,
    metadata: { ...object.metadata, resourceVersion },
    spec: {
      ...(object["spec"] as JsonObject),
      finalizers: finalizers.length === 0 ? undefined : [...finalizers],
    },
  };
}

/** The pod on its node. Throws Conflict if it has one, or goes. */
export function bound(
  kind: Kind,
  pod: ApiObject,
  { binding, now }: { readonly binding: JsonObject; readonly now: string },
): ApiObject {
  const { target, metadata } = binding as ApiObject & Binding;
  const { name = "", uid, resourceVersion } = pod.metadata;
  const { spec, status } = pod as ApiObject & Pod;
  const as = { group: "", kind: "Binding", resource: "pods/binding" };
  if (isOther(metadata.uid, uid) || isOther(metadata.resourceVersion, resourceVersion)) {
    throw conflict(kind, name, "Precondition failed");
  }
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw conflict(as, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if ((spec.nodeName ?? "") !== "") {
    const where = JSON.stringify(spec.nodeName);
    throw conflict(as, name, `pod ${name} is already assigned to node ${where}`);
  }
  const scheduled: PodCondition = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: now,
  };
  const others = (status.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
  const annotations = { ...pod.metadata.annotations, ...metadata.annotations };
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec: { ...spec, nodeName: target.name },
    status: { ...status, conditions: [...others, scheduled] },
  };
}

function isOther(asked: string | undefined, found: string | undefined): boolean {
  return (asked ?? "") !== "" && asked !== found;
}
