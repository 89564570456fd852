// Where the store's keys are in etcd: under `<prefix>/keys/`. Beside them, in the range that is watched,
// is one key that is written only to be seen (see progress-demand.ts).

import { compareKeys, prefixEnd } from "../key-order.ts";
import type { StoredValue } from "../store.ts";
import type { KeyValue } from "./messages.ts";

export interface KeyRange {
  readonly key: string;
  /** The first key that is not in the range. */
  readonly end: string;
}

export class Keyspace {
  /** Everything that belongs to the store. */
  readonly all: KeyRange;
  readonly progressKey: string;
  readonly #root: string;

  constructor(prefix: string) {
    const root = prefix.replace(/\/+$/, "");
    // "0" is the character after "/".
    this.all = { key: `${root}/`, end: `${root}0` };
    this.progressKey = `${root}/progress`;
    this.#root = `${root}/keys/`;
  }

  toEtcd(key: string): string {
    return this.#root + key;
  }

  /** Undefined when it is none of the store's. */
  fromEtcd(etcdKey: string): string | undefined {
    return etcdKey.startsWith(this.#root) ? etcdKey.slice(this.#root.length) : undefined;
  }

  /** The keys that begin with `prefix` and come after `after`. */
  range(prefix: string, after: string | undefined): KeyRange {
    const end = prefixEnd(this.toEtcd(prefix)) ?? this.all.end;
    const isLater = after !== undefined && compareKeys(after, prefix) >= 0;
    return { key: this.toEtcd(isLater ? `${after}\u0000` : prefix), end };
  }

  /** The value of a key that is known to be the store's. */
  stored({ key, value, modRevision, createRevision }: KeyValue): StoredValue {
    return { key: key.slice(this.#root.length), value, revision: modRevision, createRevision };
  }
}
