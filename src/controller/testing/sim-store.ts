// What the simulated cluster has stored: the objects of every kind, one counter of versions for all of them, and the history that
// watches read. Objects in it are never changed in place; who wants to change one writes another.

import { apiVersionOf } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import type { ResourceKind } from "../../client/resource-path.ts";

export interface SimWrite {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly kind: ResourceKind;
  /** Of a deletion the last state, with the version of its end. */
  readonly object: ApiObject;
  readonly old: ApiObject | undefined;
  /** Who did it. */
  readonly by: string;
}

export interface SimEntry {
  readonly revision: number;
  readonly write: SimWrite;
}

interface KindState {
  readonly objects: Map<string, ApiObject>;
  readonly log: SimEntry[];
  /** Everything up to here is forgotten. */
  compacted: number;
}

/** Then the older half of a kind's history is forgotten. */
const MAX_LOG = 4000;

export class SimStore {
  readonly #kinds = new Map<string, KindState>();
  readonly #listeners = new Set<(entry: SimEntry) => void>();
  #revision = 100;

  get revision(): number {
    return this.#revision;
  }

  get(kind: ResourceKind, key: string): ApiObject | undefined {
    return this.#of(kind).objects.get(key);
  }

  /** In the order of their keys. */
  list(kind: ResourceKind, namespace = ""): ApiObject[] {
    const { objects } = this.#of(kind);
    const prefix = namespace === "" ? "" : `${namespace}/`;
    return [...objects.keys()]
      .filter((key) => key.startsWith(prefix))
      .sort((a, b) => (a < b ? -1 : 1))
      .map((key) => objects.get(key) as ApiObject);
  }

  /** Stores it with the next version. The listeners hear of it before this returns. */
  write(kind: ResourceKind, object: ApiObject, by: string): ApiObject {
    const { objects } = this.#of(kind);
    const key = keyIn(kind, object);
    const old = objects.get(key);
    const stored = this.#versioned(object);
    objects.set(key, stored);
    this.#tell({ type: old === undefined ? "ADDED" : "MODIFIED", kind, object: stored, old, by });
    return stored;
  }

  remove(kind: ResourceKind, object: ApiObject, by: string): ApiObject {
    const { objects } = this.#of(kind);
    const key = keyIn(kind, object);
    const old = objects.get(key);
    const last = this.#versioned(object);
    objects.delete(key);
    this.#tell({ type: "DELETED", kind, object: last, old, by });
    return last;
  }

  /** What happened after `revision`; undefined if that is forgotten. */
  since(kind: ResourceKind, revision: number): readonly SimEntry[] | undefined {
    const { log, compacted } = this.#of(kind);
    return revision < compacted ? undefined : log.filter((entry) => entry.revision > revision);
  }

  /** Forgets all history. */
  compact(): void {
    for (const state of this.#kinds.values()) {
      state.log.length = 0;
      state.compacted = this.#revision;
    }
  }

  listen(listener: (entry: SimEntry) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  #versioned(object: ApiObject): ApiObject {
    const resourceVersion = String(++this.#revision);
    return { ...object, metadata: { ...object.metadata, resourceVersion } };
  }

  #tell(write: SimWrite): void {
    const state = this.#of(write.kind);
    const entry = { revision: this.#revision, write };
    state.log.push(entry);
    if (state.log.length > MAX_LOG) {
      const forgotten = state.log.splice(0, MAX_LOG / 2);
      state.compacted = forgotten.at(-1)?.revision ?? state.compacted;
    }
    for (const listener of this.#listeners) listener(entry);
  }

  #of(kind: ResourceKind): KindState {
    const name = `${apiVersionOf(kind)}/${kind.resource}`;
    let state = this.#kinds.get(name);
    if (state === undefined) {
      state = { objects: new Map(), log: [], compacted: 0 };
      this.#kinds.set(name, state);
    }
    return state;
  }
}

/** "namespace/name", or "name" for what is in no namespace. */
export function keyIn({ namespaced }: ResourceKind, { metadata }: ApiObject): string {
  const { namespace = "", name = "" } = metadata;
  return namespaced ? `${namespace}/${name}` : name;
}
