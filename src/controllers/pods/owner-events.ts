// From a change of a child to the owners that want to know: the one that manages it, the one that did before, and for an
// orphan all that could adopt it.

import type { ApiObject } from "../../api/object.ts";
import type { LabelSelector } from "../../api/selectors/label-selector.ts";
import type { OwnerReference } from "../../api/types.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import type { Change, Informer } from "../../client/informer.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import { BY_NAMESPACE } from "../../controller/informers.ts";
import { controllerOf } from "../../controller/owner.ts";
import { keyOfObject } from "./pod-object.ts";

export interface OwnersOptions<T extends ApiObject> {
  readonly owners: Informer<T>;
  readonly ownerKind: ResourceKind;
  /** Which children an owner wants; undefined if it says so in no way that can be understood. */
  readonly selectorOf: (owner: T) => LabelSelector | undefined;
}

/** Their keys. */
export function ownersConcerned<T extends ApiObject>(
  change: Change<ApiObject>,
  options: OwnersOptions<T>,
): ReadonlySet<string> {
  const keys = new Set<string>();
  const { object } = change;
  const old = change.type === "updated" ? change.old : undefined;
  const manager = controllerOf(object);
  const oldManager = old && controllerOf(old);
  for (const reference of [manager, oldManager]) {
    const owner = reference && managerOf(reference, object, options);
    if (owner !== undefined) keys.add(keyOfObject(owner));
  }
  if (manager === undefined && mayBeAdopted(change, oldManager)) {
    for (const owner of selecting(object, options)) keys.add(keyOfObject(owner));
  }
  return keys;
}

/** An orphan is of interest when it appears and when something changed by which it is chosen. */
function mayBeAdopted(change: Change<ApiObject>, oldManager: OwnerReference | undefined): boolean {
  if (change.type !== "updated") return change.type === "added";
  const { object, old } = change;
  return oldManager !== undefined || !semanticEqual(object.metadata.labels, old.metadata.labels);
}

function managerOf<T extends ApiObject>(
  { kind, name, uid }: OwnerReference,
  child: ApiObject,
  { owners, ownerKind }: OwnersOptions<T>,
): T | undefined {
  if (kind !== ownerKind.kind) return undefined;
  const owner = owners.get(`${child.metadata.namespace ?? ""}/${name}`);
  return owner?.metadata.uid === uid ? owner : undefined;
}

function selecting<T extends ApiObject>(
  child: ApiObject,
  { owners, selectorOf }: OwnersOptions<T>,
): readonly T[] {
  const { namespace = "", labels } = child.metadata;
  return owners.byIndex(BY_NAMESPACE, namespace).filter((owner) => {
    const selector = selectorOf(owner);
    return selector !== undefined && !selector.isEmpty && selector.matches(labels);
  });
}
