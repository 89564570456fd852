// How many replicas an object has and should have, for the kinds that can be asked for a number.

import type { ApiObject } from "../../api/object.ts";
import type {
  Deployment,
  ReplicaSet,
  ReplicationController,
  Scale,
  StatefulSet,
} from "../../api/types.ts";
import { labelSelectorText } from "../../api/validation/label-selector.ts";

type Scalable = Deployment | ReplicaSet | ReplicationController | StatefulSet;

/** The Scale of an object of a kind that has a scale subresource. */
export function scaleOf(object: ApiObject): Scale & ApiObject {
  const { metadata, spec, status } = object as object as Scalable;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const { replicas = 0 } = spec;
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: status.replicas ?? 0, selector: selectorOf(object) },
  };
}

/** A copy of the object that asks for so many. */
export function withReplicas(object: ApiObject, replicas: number): ApiObject {
  return { ...object, spec: { ...(object["spec"] as object), replicas } };
}

function selectorOf(object: ApiObject): string {
  const { selector } = (object as object as Scalable).spec;
  // A ReplicationController's selector is just labels.
  return object.kind === "ReplicationController"
    ? labelSelectorText({ matchLabels: selector as { [key: string]: string } })
    : labelSelectorText(selector as Deployment["spec"]["selector"]);
}
