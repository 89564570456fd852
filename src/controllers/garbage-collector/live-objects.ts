// Objects as the server has them at this moment, by what the graph knows of them. All that the garbage collector asks and writes goes
// through here, and never concerns another object of the same name.

import { isDeepStrictEqual } from "node:util";
import type { ApiObject } from "../../api/object.ts";
import { isNotFound, StatusError } from "../../api/status-error.ts";
import type { OwnerReference } from "../../api/types.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { METADATA } from "../../client/list-watch.ts";
import { type PatchOptions, ResourceClient } from "../../client/resource-client.ts";
import { type ResourceKind, resourcePath } from "../../client/resource-path.ts";
import { type Identity, identityText } from "./identity.ts";
import type { Policy } from "./verdict.ts";

/** The server serves no such kind. Nothing can be said about its objects. */
export class UnknownKindError extends Error {
  override readonly name = "UnknownKindError";
}

/** The server says that it serves the kind, and does not. Nothing can be said about its objects at the moment. */
export class VanishedKindError extends Error {
  override readonly name = "VanishedKindError";
}

/** Something outside of namespaces names an owner inside of one. Nobody can mend that but its author. */
export class MisplacedOwnerError extends Error {
  override readonly name = "MisplacedOwnerError";
}

/** What changes faster than it can be deleted is left for later. */
const MAX_TRIES = 4;

export interface LiveObjectsOptions {
  readonly client: ApiClient;
  readonly kindOf: (apiVersion: string, kind: string) => ResourceKind | undefined;
}

export class LiveObjects {
  readonly #options: LiveObjectsOptions;

  constructor(options: LiveObjectsOptions) {
    this.#options = options;
  }

  /** Nothing but its metadata. Undefined if there is none of this name, or another one. */
  async get(identity: Identity, signal: AbortSignal): Promise<ApiObject | undefined> {
    const { client } = this.#options;
    const { kind, place } = this.#place(identity);
    const path = resourcePath(kind, place);
    try {
      const answer = await client.request({ method: "GET", path, accept: METADATA, signal });
      const object = answer as ApiObject;
      return object.metadata.uid === identity.uid ? object : undefined;
    } catch (err) {
      return this.#absence(identity, err);
    }
  }

  /** False if it was gone. Throws a conflict if its owners are not those of `latest`, by which the decision was made. */
  async delete(
    identity: Identity,
    { latest, policy }: { readonly latest: ApiObject; readonly policy: Policy },
    signal: AbortSignal,
  ): Promise<boolean> {
    const { uid } = identity;
    const { ownerReferences } = latest.metadata;
    const { kind, place } = this.#place(identity);
    const objects = new ResourceClient(this.#options.client, kind);
    let { resourceVersion = "" } = latest.metadata;
    for (let tries = 1; ; tries++) {
      try {
        const preconditions = { uid, resourceVersion };
        await objects.delete(place, { preconditions, propagationPolicy: policy, signal });
        return true;
      } catch (err) {
        if (!isConflict(err)) return this.#absence(identity, err) ?? false;
        const now = await this.get(identity, signal);
        if (now === undefined) return false;
        // Much may change in an object without changing whose it is.
        const isSame = isDeepStrictEqual(now.metadata.ownerReferences, ownerReferences);
        if (!isSame || tries === MAX_TRIES) throw err;
        ({ resourceVersion = "" } = now.metadata);
      }
    }
  }

  /** Takes these owners from it. */
  async releaseOwners(
    identity: Identity,
    uids: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const isKept = ({ uid }: OwnerReference): boolean => !uids.includes(uid);
    await this.#patchOwners(identity, {
      strategic: uids.map((uid) => ({ $patch: "delete", uid })),
      merge: (owners) => owners.filter(isKept),
      signal,
    });
  }

  /** Its owners need not wait for it any more. Comes back with the object as it is then; undefined if it was gone. */
  async unblockOwners(
    identity: Identity,
    latest: ApiObject,
    signal: AbortSignal,
  ): Promise<ApiObject | undefined> {
    const blocking = (latest.metadata.ownerReferences ?? []).filter(isBlocking);
    if (blocking.length === 0) return latest;
    return this.#patchOwners(identity, {
      strategic: blocking.map(unblocked),
      merge: (owners) => owners.map((owner) => (isBlocking(owner) ? unblocked(owner) : owner)),
      signal,
    });
  }

  /** Does nothing if it is not there, or has no such finalizer. */
  async removeFinalizer(identity: Identity, finalizer: string, signal: AbortSignal): Promise<void> {
    const live = await this.get(identity, signal);
    const finalizers = live?.metadata.finalizers ?? [];
    if (!finalizers.includes(finalizer)) return;
    const metadata = {
      resourceVersion: live?.metadata.resourceVersion,
      finalizers: finalizers.filter((name) => name !== finalizer),
    };
    await this.#patch(identity, { metadata }, { type: "merge", signal });
  }

  async #patchOwners(
    identity: Identity,
    owners: {
      readonly strategic: readonly object[];
      readonly merge: (owners: readonly OwnerReference[]) => readonly OwnerReference[];
      readonly signal: AbortSignal;
    },
  ): Promise<ApiObject | undefined> {
    const { strategic, merge, signal } = owners;
    const { uid } = identity;
    try {
      const patch = { metadata: { uid, ownerReferences: strategic } };
      return await this.#patch(identity, patch, { type: "strategic", signal });
    } catch (err) {
      // Custom resources know no strategic patches.
      if (!(err instanceof StatusError && err.code === 415)) throw err;
    }
    const live = await this.get(identity, signal);
    if (live === undefined) return undefined;
    const { resourceVersion, ownerReferences = [] } = live.metadata;
    const metadata = { uid, resourceVersion, ownerReferences: merge(ownerReferences) };
    return this.#patch(identity, { metadata }, { type: "merge", signal });
  }

  async #patch(
    identity: Identity,
    body: object,
    options: PatchOptions,
  ): Promise<ApiObject | undefined> {
    const { kind, place } = this.#place(identity);
    try {
      const objects = new ResourceClient(this.#options.client, kind);
      return await objects.patch(place, body, options);
    } catch (err) {
      return this.#absence(identity, err);
    }
  }

  #place({ apiVersion, kind: name, ...identity }: Identity): {
    readonly kind: ResourceKind;
    readonly place: { readonly namespace: string | undefined; readonly name: string };
  } {
    const kind = this.#options.kindOf(apiVersion, name);
    if (kind === undefined) {
      throw new UnknownKindError(`no matches for kind ${JSON.stringify(name)} in ${apiVersion}`);
    }
    if (!kind.namespaced) return { kind, place: { namespace: undefined, name: identity.name } };
    if (identity.namespace === "") {
      throw new MisplacedOwnerError("cluster-scoped objects cannot refer to namespaced owners");
    }
    return { kind, place: { namespace: identity.namespace, name: identity.name } };
  }

  /** Undefined if the server says that there is no such object; throws whatever else it says. */
  #absence(identity: Identity, err: unknown): undefined {
    if (!(err instanceof StatusError && err.code === 404)) throw err;
    if (isNotFound(err) && err.details?.name === identity.name) return undefined;
    // The kind itself is not served, which says nothing about the object.
    const what = identityText(identity);
    throw new VanishedKindError(`${what} cannot be looked up`, { cause: err });
  }
}

function isBlocking({ blockOwnerDeletion }: OwnerReference): boolean {
  return blockOwnerDeletion === true;
}

function unblocked(owner: OwnerReference): OwnerReference {
  return { ...owner, blockOwnerDeletion: false };
}

function isConflict(err: unknown): boolean {
  return err instanceof StatusError && err.code === 409;
}
