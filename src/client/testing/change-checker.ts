// Holds what a handler hears against what an informer promises: added, then newer and newer versions, then deleted, each
// object by itself.

import type { ApiObject } from "../../api/object.ts";
import type { Change } from "../informer.ts";
import { keyOf } from "../reflector.ts";

export class ChangeChecker {
  readonly #held = new Map<string, ApiObject>();

  /** Throws at the first broken promise. */
  readonly check = (change: Change<ApiObject>): void => {
    const key = keyOf(change.object);
    const held = this.#held.get(key);
    const { uid, resourceVersion } = change.object.metadata;
    const problem = (how: string): Error =>
      new Error(`${change.type} ${key} ${uid} ${resourceVersion}: ${how}`);
    if (change.type === "added") {
      if (held !== undefined) throw problem("it was there already");
      this.#held.set(key, change.object);
      return;
    }
    if (held === undefined) throw problem("it was not there");
    if (held.metadata.uid !== uid) throw problem(`it was ${held.metadata.uid}`);
    if (Number(resourceVersion) < Number(held.metadata.resourceVersion)) {
      throw problem(`it was newer: ${held.metadata.resourceVersion}`);
    }
    if (change.type === "deleted") {
      this.#held.delete(key);
      return;
    }
    if (change.old !== held) throw problem("the old object is not what it was");
    if (resourceVersion === held.metadata.resourceVersion) throw problem("nothing changed");
    this.#held.set(key, change.object);
  };

  /** What somebody has who heard everything: names and versions, sorted. */
  get state(): readonly string[] {
    return versionsOf([...this.#held.values()]);
  }
}

export function versionsOf(objects: readonly ApiObject[]): readonly string[] {
  return objects.map(({ metadata }) => `${metadata.name}:${metadata.resourceVersion}`).sort();
}
