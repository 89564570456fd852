// The objects for which something is going on. Those for which nothing has been going on for a while are forgotten: there are as many as have
// changed lately, not as many as there are.

import type { Clock } from "../../base/clock.ts";
import { ObjectHistory } from "./object-history.ts";
import { revisionPrefix } from "./revision-name.ts";
import type { HistoricKind } from "./revision-object.ts";

/** Idle ones are looked for when there are twice as many as after the last look. */
const MIN_TO_SWEEP = 1000;

export class Histories {
  readonly #limit: number;
  readonly #clock: Clock;
  /** By the group of their revisions. */
  readonly #kept = new Map<string, ObjectHistory>();
  #sweepAt = MIN_TO_SWEEP;
  #pendingBytes = 0;

  /** `limit`: how many contents of one object may wait. */
  constructor({ limit, clock }: { readonly limit: number; readonly clock: Clock }) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Of all contents that wait. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get(kind: HistoricKind, key: string): ObjectHistory | undefined {
    return this.#kept.get(groupOf(kind, key));
  }

  /** Whose revisions are in this group. */
  ofGroup(group: string): ObjectHistory | undefined {
    return this.#kept.get(group);
  }

  /** Not kept: most objects that are looked at need nothing. */
  create(kind: HistoricKind, key: string): ObjectHistory {
    const onBytes = (difference: number): void => {
      this.#pendingBytes += difference;
    };
    return new ObjectHistory({
      kind,
      key,
      group: groupOf(kind, key),
      limit: this.#limit,
      onBytes,
    });
  }

  keep(history: ObjectHistory): ObjectHistory {
    if (this.#kept.size >= this.#sweepAt) this.#sweep();
    this.#kept.set(history.options.group, history);
    return history;
  }

  forget(history: ObjectHistory): void {
    history.forget();
    this.#kept.delete(history.options.group);
  }

  [Symbol.iterator](): Iterator<ObjectHistory> {
    return this.#kept.values();
  }

  clear(): void {
    for (const history of this.#kept.values()) this.forget(history);
  }

  #sweep(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const history of this.#kept.values()) {
      if (history.isForgettable(nowMs)) this.forget(history);
    }
    this.#sweepAt = Math.max(MIN_TO_SWEEP, 2 * this.#kept.size);
  }
}

function groupOf(kind: HistoricKind, key: string): string {
  const [namespace = "", name = ""] = key.split("/");
  return `${namespace}/${revisionPrefix(kind, name)}`;
}
