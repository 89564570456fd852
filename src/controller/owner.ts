// Who owns an object, and who of the owners manages it.

import { apiVersionOf } from "../api/kind.ts";
import type { ApiObject } from "../api/object.ts";
import type { ObjectReference, OwnerReference } from "../api/types.ts";
import type { ResourceKind } from "../client/resource-path.ts";

/** The owner that manages it; at most one does. */
export function controllerOf({ metadata }: ApiObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export function isControlledBy(object: ApiObject, owner: ApiObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** For the metadata of what `owner`, of this kind, makes and manages. */
export function controllerReference(kind: ResourceKind, owner: ApiObject): OwnerReference {
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    name: owner.metadata.name ?? "",
    uid: owner.metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** For events about it. */
export function referenceTo(kind: ResourceKind, object: ApiObject): ObjectReference {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}
