// Who refers to what. A pod counts once for an object, however often it names it and however often it is registered; pods are
// told apart by uid, so that one that takes the name of another does not take its references.

import type { Pod } from "../../api/types.ts";
import { type ObjectKind, type ObjectReference, referenceKey } from "./config-object.ts";
import { type PodObject, podObjects } from "./pod-objects.ts";

interface Referrers {
  /** Never empty. */
  readonly pods: Set<string>;
  /** Those of `pods` that have it in a volume. */
  readonly volumePods: Set<string>;
}

export interface Registered {
  /** What the pod did not refer to before. */
  readonly added: readonly ObjectReference[];
  /** What nobody refers to any more. */
  readonly forgotten: readonly ObjectReference[];
}

export class Registrations {
  readonly #objectsOfPods = new Map<string, ReadonlyMap<string, PodObject>>();
  readonly #referrers = new Map<string, Referrers>();
  readonly #counts: Record<ObjectKind, number> = { ConfigMap: 0, Secret: 0 };

  register(pod: Pod): Registered {
    const podUid = pod.metadata.uid ?? "";
    const before = this.#objectsOfPods.get(podUid);
    const now = podObjects(pod);
    this.#objectsOfPods.set(podUid, now);
    const added: ObjectReference[] = [];
    for (const [key, object] of now) {
      if (this.#add(key, podUid, object)) added.push(object);
    }
    const dropped = [...(before ?? [])].filter(([key]) => !now.has(key));
    return { added, forgotten: this.#drop(dropped, podUid) };
  }

  /** What nobody refers to any more. */
  unregister(podUid: string): readonly ObjectReference[] {
    const before = this.#objectsOfPods.get(podUid);
    this.#objectsOfPods.delete(podUid);
    return this.#drop([...(before ?? [])], podUid);
  }

  /** How many pods refer to it. */
  references(of: ObjectReference): number {
    return this.#referrers.get(referenceKey(of))?.pods.size ?? 0;
  }

  podUids(of: ObjectReference): readonly string[] {
    return [...(this.#referrers.get(referenceKey(of))?.pods ?? [])];
  }

  isInVolume(of: ObjectReference): boolean {
    return (this.#referrers.get(referenceKey(of))?.volumePods.size ?? 0) > 0;
  }

  /** All that are in no volume. */
  unmounted(): readonly ObjectReference[] {
    const all = new Map([...this.#objectsOfPods.values()].flatMap((objects) => [...objects]));
    return [...all.values()].filter((of) => !this.isInVolume(of));
  }

  objectsOf(podUid: string): Iterable<ObjectReference> {
    return this.#objectsOfPods.get(podUid)?.values() ?? [];
  }

  /** How many objects of this kind somebody refers to. */
  count(kind: ObjectKind): number {
    return this.#counts[kind];
  }

  /** Says whether that is new. */
  #add(key: string, podUid: string, { kind, isInVolume }: PodObject): boolean {
    let referrers = this.#referrers.get(key);
    if (referrers === undefined) {
      referrers = { pods: new Set(), volumePods: new Set() };
      this.#referrers.set(key, referrers);
      this.#counts[kind]++;
    }
    const isNew = !referrers.pods.has(podUid);
    referrers.pods.add(podUid);
    if (isInVolume) referrers.volumePods.add(podUid);
    else referrers.volumePods.delete(podUid);
    return isNew;
  }

  #drop(
    dropped: readonly (readonly [key: string, object: PodObject])[],
    podUid: string,
  ): readonly ObjectReference[] {
    const forgotten: ObjectReference[] = [];
    for (const [key, object] of dropped) {
      const referrers = this.#referrers.get(key);
      referrers?.volumePods.delete(podUid);
      referrers?.pods.delete(podUid);
      if (referrers?.pods.size !== 0) continue;
      this.#referrers.delete(key);
      this.#counts[object.kind]--;
      forgotten.push(object);
    }
    return forgotten;
  }
}
