// Which revisions there are of each object. Known from their names alone: their contents may be large, and are read only where one is needed.

import { compareUtf8 } from "../../base/content-version.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import type { Follower, KindCache } from "../cache/kind-cache.ts";
import { revisionName, splitRevisionName } from "./revision-name.ts";

interface Numbers {
  /** Growing. */
  readonly numbers: number[];
  /** That was ever seen: numbers do not come back when the newest revision is deleted. */
  highest: number;
}

export class RevisionIndex implements Follower {
  readonly #cache: KindCache;
  /** By "namespace/prefix"; never without numbers. */
  readonly #groups = new Map<string, Numbers>();
  readonly #onAdded: (group: string) => void;

  /** `onAdded` is told of groups that have a new revision. */
  constructor(cache: KindCache, onAdded: (group: string) => void) {
    this.#cache = cache;
    this.#onAdded = onAdded;
    cache.follow(this);
  }

  reset(objects: Iterable<CachedObject>): void {
    this.#groups.clear();
    const keys = Array.from(objects, ({ key }) => key).toSorted(compareUtf8);
    for (const key of keys) this.#add(key);
  }

  changed(now: CachedObject | undefined, before: CachedObject | undefined): void {
    if (now === undefined) this.#remove(before?.key ?? "");
    else if (before === undefined) this.#onAdded(this.#add(now.key));
  }

  /** How the group's numbers go on. */
  next(group: string): number {
    return (this.#groups.get(group)?.highest ?? 0) + 1;
  }

  newest(group: string): CachedObject | undefined {
    const number = this.#groups.get(group)?.numbers.at(-1);
    return number === undefined ? undefined : this.#cache.get(revisionName(group, number));
  }

  /** Keys of those that are too many, oldest first. */
  beyond(group: string, limit: number): readonly string[] {
    const numbers = this.#groups.get(group)?.numbers ?? [];
    const surplus = numbers.slice(0, Math.max(0, numbers.length - limit));
    return surplus.map((number) => revisionName(group, number));
  }

  #add(key: string): string {
    const split = splitRevisionName(key);
    if (split === undefined) return "";
    const { prefix, number } = split;
    const group = this.#groups.get(prefix) ?? { numbers: [], highest: 0 };
    this.#groups.set(prefix, group);
    const at = group.numbers.findLastIndex((other) => other < number) + 1;
    group.numbers.splice(at, 0, number);
    group.highest = Math.max(group.highest, number);
    return prefix;
  }

  #remove(key: string): void {
    const split = splitRevisionName(key);
    const group = split && this.#groups.get(split.prefix);
    if (group === undefined) return;
    const at = group.numbers.indexOf(split?.number ?? 0);
    if (at >= 0) group.numbers.splice(at, 1);
    if (group.numbers.length === 0) this.#groups.delete(split?.prefix ?? "");
  }
}
