// What writers were told and what watchers saw, and whether the two agree. Each function checks one
// promise, and its error says which one was broken.

import assert from "node:assert/strict";
import type { Revision, StoredValue, StoreEvent, WatchBatch } from "../../src/storage/store.ts";

/** A write that the store said has happened. */
export interface Acknowledged {
  readonly type: "put" | "delete";
  readonly key: string;
  readonly revision: Revision;
  readonly value: string | undefined;
}

/** What one watcher was given, and from where. */
export interface Watched {
  readonly name: string;
  readonly prefix: string;
  readonly after: Revision;
  readonly batches: readonly WatchBatch[];
}

export type State = ReadonlyMap<string, StoredValue>;

export function eventsOf({ batches }: Watched): StoreEvent[] {
  return batches.flatMap(({ events }) => events);
}

/** Growing revisions, each event within its batch's reach, and none after the reach has passed it. */
export function checkOrder({ name, after, batches }: Watched): void {
  let reached = after;
  for (const { events, revision } of batches) {
    let last = reached;
    for (const event of events) {
      assert.ok(event.revision > last, `${name}: event ${event.revision} came after ${last}`);
      last = event.revision;
    }
    assert.ok(last <= revision, `${name}: event ${last} in a batch that reaches to ${revision}`);
    reached = revision;
  }
}

/** Every acknowledged write with the prefix, after the start and within reach, was seen as it was written. */
export function checkNothingLost(watched: Watched, writes: readonly Acknowledged[]): void {
  const { name, prefix, after, batches } = watched;
  const reached = batches.at(-1)?.revision ?? after;
  const seen = new Map(eventsOf(watched).map((event) => [event.revision, event]));
  for (const write of writes) {
    const isExpected =
      write.key.startsWith(prefix) && write.revision > after && write.revision <= reached;
    if (!isExpected) continue;
    const event = seen.get(write.revision);
    assert.ok(event, `${name}: the ${write.type} of ${write.key} at ${write.revision} was lost`);
    assert.deepEqual(
      { type: event.type, key: event.key, value: text(event.value) },
      { type: write.type, key: write.key, value: write.value },
      `${name}: event ${write.revision} is not what was written`,
    );
  }
}

/** Each event's previous value is what the events before it left there: a gap would show. */
export function replay(watched: Watched, start: State): State {
  const state = new Map(start);
  for (const { type, key, revision, value, previous } of eventsOf(watched)) {
    assert.deepEqual(
      plain(previous),
      plain(state.get(key)),
      `${watched.name}: before ${type} ${key} at ${revision} something is missing`,
    );
    if (value === undefined) state.delete(key);
    else state.set(key, value);
  }
  return state;
}

/** What a watcher's events add up to is what the store says. */
export function checkState(name: string, replayed: State, items: readonly StoredValue[]): void {
  assert.deepEqual(
    [...replayed.values()].map(plain).sort(byKey),
    items.map(plain).sort(byKey),
    `${name}: the events do not add up to the state`,
  );
}

/** Two watchers of the same keys saw the same, as far as both have come. */
export function checkAgreement(a: Watched, b: Watched): void {
  const line = ({ type, key, revision }: StoreEvent): string => `${revision} ${type} ${key}`;
  assert.deepEqual(
    eventsOf(a).map(line),
    eventsOf(b).map(line),
    `${a.name} and ${b.name} do not agree`,
  );
}

function text(value: StoredValue | undefined): string | undefined {
  return value && Buffer.from(value.value).toString();
}

interface Plain {
  readonly key: string;
  readonly value: string | undefined;
  readonly revision: Revision;
}

function plain<T extends StoredValue | undefined>(item: T): Plain | Extract<T, undefined> {
  return item === undefined
    ? (undefined as Extract<T, undefined>)
    : { key: item.key, value: text(item), revision: item.revision };
}

function byKey(a: { readonly key: string }, b: { readonly key: string }): number {
  return a.key < b.key ? -1 : 1;
}
