// Which objects belong to an owner: those that it manages already and still selects, and those that nobody manages and it selects. The
// former that it no longer selects are let go. Every change is a patch bound to the uid, so nothing is ever taken from an object
// that was made anew under the same name.

import type { ApiObject } from "../api/object.ts";
import type { LabelSelector } from "../api/selectors/label-selector.ts";
import { isNotFound, StatusError } from "../api/status-error.ts";
import type { ResourceClient } from "../client/resource-client.ts";
import type { ResourceKind } from "../client/resource-path.ts";
import { controllerOf, controllerReference } from "./owner.ts";

export interface ClaimOptions<T extends ApiObject> {
  readonly owner: ApiObject;
  readonly ownerKind: ResourceKind;
  readonly selector: LabelSelector;
  /** Of the owner's namespace: those that it may select, and all that it manages. */
  readonly candidates: readonly T[];
  readonly children: ResourceClient<T>;
  /** The owner as the server has it now: asked at most once, before something is adopted. */
  readonly freshOwner: () => Promise<ApiObject>;
  readonly signal: AbortSignal;
}

export async function claim<T extends ApiObject>(options: ClaimOptions<T>): Promise<readonly T[]> {
  const { owner, selector, candidates } = options;
  const claimed: T[] = [];
  let mayAdopt: Promise<boolean> | undefined;
  for (const child of candidates) {
    const manager = controllerOf(child);
    const isSelected = selector.matches(child.metadata.labels);
    if (manager !== undefined) {
      if (manager.uid !== owner.metadata.uid) continue;
      if (isSelected) claimed.push(child);
      else if (!isGoing(owner)) await release(options, child);
      continue;
    }
    if (!isSelected || isGoing(owner) || isGoing(child)) continue;
    mayAdopt ??= isStillThere(options);
    if (await mayAdopt) {
      const adopted = await adopt(options, child);
      if (adopted !== undefined) claimed.push(adopted);
    }
  }
  return claimed;
}

async function isStillThere<T extends ApiObject>(options: ClaimOptions<T>): Promise<boolean> {
  const fresh = await options.freshOwner();
  return fresh.metadata.uid === options.owner.metadata.uid && !isGoing(fresh);
}

/** Undefined if it has gone meanwhile. */
async function adopt<T extends ApiObject>(
  { owner, ownerKind, children, signal }: ClaimOptions<T>,
  child: T,
): Promise<T | undefined> {
  const { uid } = child.metadata;
  const ownerReferences = [controllerReference(ownerKind, owner)];
  return unlessGone(
    children.patch(
      nameOf(child),
      { metadata: { uid, ownerReferences } },
      { type: "strategic", signal },
    ),
  );
}

async function release<T extends ApiObject>(
  { owner, children, signal }: ClaimOptions<T>,
  child: T,
): Promise<void> {
  const { uid } = child.metadata;
  const ownerReferences = [{ $patch: "delete", uid: owner.metadata.uid }];
  await unlessGone(
    children.patch(
      nameOf(child),
      { metadata: { uid, ownerReferences } },
      { type: "strategic", signal },
    ),
  );
}

/** Another object of that name is refused as invalid (a uid cannot change) or as a conflict: ours has gone. */
async function unlessGone<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (err) {
    if (isNotFound(err) || (err instanceof StatusError && [409, 422].includes(err.code)))
      return undefined;
    throw err;
  }
}

function nameOf({ metadata: { namespace, name = "" } }: ApiObject): {
  readonly namespace: string | undefined;
  readonly name: string;
} {
  return { namespace, name };
}

function isGoing({ metadata }: ApiObject): boolean {
  return metadata.deletionTimestamp != null;
}
