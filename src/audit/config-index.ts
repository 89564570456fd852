// The ConfigMaps and Secrets that references can lead to. Several files may hold one name (overlays of one base): a reference is right if it is
// right for any of them.

import type { ConfigKind } from "../api/config/pod-uses.ts";
import type { ConfigFacts } from "./config-facts.ts";

export interface ConfigReference {
  readonly kind: ConfigKind;
  readonly namespace: string;
  readonly name: string;
}

export class ConfigIndex {
  readonly #byName = new Map<string, ConfigFacts[]>();
  /** By kind and namespace. */
  readonly #names = new Map<string, Set<string>>();
  /** Kinds that somebody could not list: what is not here may still be there. */
  readonly #unknown = new Set<ConfigKind>();

  constructor(facts: Iterable<ConfigFacts> = []) {
    for (const one of facts) this.add(one);
  }

  add(facts: ConfigFacts): void {
    const key = `${facts.kind}/${facts.name}`;
    const same = this.#byName.get(key);
    if (same === undefined) this.#byName.set(key, [facts]);
    else same.push(facts);
    const place = `${facts.kind}/${facts.namespace}`;
    const names = this.#names.get(place);
    if (names === undefined) this.#names.set(place, new Set([facts.name]));
    else names.add(facts.name);
  }

  /** Not all of this kind are here. */
  addUnknown(kind: ConfigKind): void {
    this.#unknown.add(kind);
  }

  /** Whether absence means anything. */
  knows(kind: ConfigKind): boolean {
    return !this.#unknown.has(kind);
  }

  /** Manifests that say no namespace go where the others go. */
  find({ kind, namespace, name }: ConfigReference): readonly ConfigFacts[] {
    const all = this.#byName.get(`${kind}/${name}`) ?? [];
    return all.filter((one) => isSameNamespace(one.namespace, namespace));
  }

  /** Those that `find` would look among. */
  names({ kind, namespace }: Omit<ConfigReference, "name">): readonly string[] {
    if (namespace !== "") {
      return [namespace, ""].flatMap((one) => [...(this.#names.get(`${kind}/${one}`) ?? [])]);
    }
    return [...this.#names].flatMap(([place, names]) =>
      place.startsWith(`${kind}/`) ? [...names] : [],
    );
  }
}

function isSameNamespace(a: string, b: string): boolean {
  return a === b || a === "" || b === "";
}
