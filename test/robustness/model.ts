// The truth: every write that happened, in the order of revisions, each applied to what was there before. It is
// made of what writers were told. A write without an answer has happened if anybody saw it.

import { type Content, contentText, splitKey } from "./content.ts";
import type {
  Change,
  Key,
  KindName,
  Moment,
  RunRecord,
  SeenObject,
  View,
  WatchEvent,
  WriteRecord,
} from "./record.ts";
import { selects } from "./selectors.ts";

export interface State {
  readonly revision: number;
  readonly content: Content;
}

export interface Happened {
  readonly write: WriteRecord;
  readonly key: Key;
  readonly revision: number;
  readonly before: State | undefined;
  readonly after: State | undefined;
}

/** An event as one with this view has to see it. */
export interface ExpectedEvent {
  readonly type: WatchEvent["type"];
  readonly key: Key;
  readonly revision: number;
  readonly content: string;
}

export class Model {
  /** By kind, in order. */
  readonly #changes = new Map<KindName, Happened[]>();
  readonly #byKey = new Map<Key, Happened[]>();
  readonly #byRevision = new Map<number, Happened>();
  /** The newest revision among the first n acknowledged deletes. */
  readonly #deletes: number[] = [0];

  constructor(run: RunRecord) {
    const states = new Map<Key, State>();
    for (const { write, revision } of inOrder(run)) {
      const before = states.get(write.key);
      const after = applied(write, before, revision);
      if (after === undefined) states.delete(write.key);
      else states.set(write.key, after);
      const happened = { write, key: write.key, revision, before, after };
      this.#byRevision.set(revision, happened);
      push(this.#changes, splitKey(write.key).kind, happened);
      push(this.#byKey, write.key, happened);
      const { outcome } = write;
      if (outcome.is === "deleted") this.#deletes[outcome.order] = revision;
    }
    for (let i = 1; i < this.#deletes.length; i++) {
      this.#deletes[i] = Math.max(this.#deletes[i] ?? 0, this.#deletes[i - 1] ?? 0);
    }
  }

  changes(): IterableIterator<Happened> {
    return this.#byRevision.values();
  }

  /** Everything up to here had been acknowledged to somebody. */
  known({ newest, deletes }: Moment): number {
    return Math.max(newest, this.#deletes[Math.min(deletes, this.#deletes.length - 1)] ?? 0);
  }

  at(revision: number): Happened | undefined {
    return this.#byRevision.get(revision);
  }

  of(key: Key): readonly Happened[] {
    return this.#byKey.get(key) ?? [];
  }

  /** What one who watches must see of what happened after a revision, up to and including another. */
  expected(view: View, after: number, upTo: number = Number.POSITIVE_INFINITY): ExpectedEvent[] {
    const changes = this.#changes.get(view.kind) ?? [];
    const events: ExpectedEvent[] = [];
    for (let i = firstAfter(changes, after); i < changes.length; i++) {
      const change = changes[i];
      if (change === undefined || change.revision > upTo) break;
      const event = this.shown(view, change);
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  /** Undefined if one with this view sees nothing of it. */
  shown(view: View, { key, revision, before, after }: Happened): ExpectedEvent | undefined {
    if (!isInScope(view, key)) return undefined;
    const matched = before !== undefined && selects(view.selector, before.content.labels);
    const matches = after !== undefined && selects(view.selector, after.content.labels);
    if (matches) {
      const type = matched ? "MODIFIED" : "ADDED";
      return { type, key, revision, content: contentText(after.content) };
    }
    if (!matched) return undefined;
    return { type: "DELETED", key, revision, content: contentText(before.content) };
  }

  /** Everything in view as of a revision: content and version by key. */
  stateAt(view: View, revision: number): Map<Key, State> {
    const found = new Map<Key, State>();
    for (const key of this.#byKey.keys()) {
      if (!isInScope(view, key)) continue;
      const state = this.keyAt(key, revision);
      if (state !== undefined && selects(view.selector, state.content.labels)) {
        found.set(key, state);
      }
    }
    return found;
  }

  keyAt(key: Key, revision: number): State | undefined {
    const changes = this.of(key);
    return changes[firstAfter(changes, revision) - 1]?.after;
  }
}

export function isInScope({ kind, namespace, name }: View, key: Key): boolean {
  const place = splitKey(key);
  return (
    place.kind === kind &&
    (namespace === undefined || place.namespace === namespace) &&
    (name === undefined || place.name === name)
  );
}

/** Which of several deletes without an answer it was that happened cannot be known. */
export function isGuess({ verb, outcome }: WriteRecord): boolean {
  return verb === "delete" && outcome.is === "unknown";
}

/** The content that a write leaves, given what it found. Undefined: nothing. */
function applied(
  { verb, change }: WriteRecord,
  before: State | undefined,
  revision: number,
): State | undefined {
  if (verb === "delete") return undefined;
  const base = verb === "patch" ? (before?.content.labels ?? {}) : {};
  return { revision, content: { labels: merged(base, change), mark: change.mark } };
}

function merged(
  base: Readonly<Record<string, string>>,
  { labels = {} }: Change,
): Content["labels"] {
  const result: Record<string, string> = { ...base };
  for (const [name, value] of Object.entries(labels)) {
    if (value === null) delete result[name];
    else result[name] = value;
  }
  return result;
}

interface Placed {
  readonly write: WriteRecord;
  readonly revision: number;
}

function inOrder(run: RunRecord): Placed[] {
  const placed: Placed[] = [];
  const open: WriteRecord[] = [];
  for (const write of run.writes) {
    const { outcome } = write;
    if (outcome.is === "done") placed.push({ write, revision: outcome.object.revision });
    else if (outcome.is !== "refused") open.push(write);
  }
  placed.push(...recovered(run, open, new Set(placed.map(({ revision }) => revision))));
  return placed.sort((a, b) => a.revision - b.revision);
}

/** Writes without a revision in their answer, or without an answer, that somebody saw. */
function recovered(
  run: RunRecord,
  open: readonly WriteRecord[],
  placed: ReadonlySet<number>,
): Placed[] {
  if (open.length === 0) return [];
  const writes = new OpenWrites(open);
  const found = new Map<number, Placed>();
  for (const sighting of sightings(run)) {
    const { revision } = sighting;
    if (placed.has(revision) || found.has(revision)) continue;
    const write = writes.take(sighting);
    if (write !== undefined) found.set(revision, { write, revision });
  }
  return [...found.values()];
}

/** Finds them by their mark; deletes by the object's uid, or without an answer by its key. */
class OpenWrites {
  readonly #byMark = new Map<string, WriteRecord>();
  readonly #byUid = new Map<string, WriteRecord>();
  readonly #unansweredDeletes = new Map<Key, WriteRecord[]>();

  constructor(writes: readonly WriteRecord[]) {
    for (const write of writes) {
      if (write.outcome.is === "deleted") this.#byUid.set(write.outcome.uid, write);
      else if (write.verb === "delete") push(this.#unansweredDeletes, write.key, write);
      else this.#byMark.set(write.change.mark, write);
    }
  }

  /** Each is given once. */
  take({ key, uid, content, isDeletion }: Sighting): WriteRecord | undefined {
    if (isDeletion) {
      const known = this.#byUid.get(uid);
      this.#byUid.delete(uid);
      return known ?? this.#unansweredDeletes.get(key)?.shift();
    }
    const mark = content.slice(0, content.indexOf(" "));
    const write = this.#byMark.get(mark);
    this.#byMark.delete(mark);
    return write;
  }
}

interface Sighting extends SeenObject {
  readonly isDeletion: boolean;
}

/** Every version that anybody saw. What leaves a selector is no sighting: it is shown as it was before. */
function* sightings(run: RunRecord): Generator<Sighting> {
  for (const { view, streams } of run.watchers) {
    for (const item of streams.flatMap(({ items }) => items)) {
      if (item.type === "BOOKMARK") continue;
      const isDeletion = item.type === "DELETED";
      if (!isDeletion || view.selector === undefined) yield { ...item, isDeletion };
    }
  }
  for (const { items } of run.lists) {
    for (const item of items) yield { ...item, isDeletion: false };
  }
  for (const { found } of run.gets) {
    if (found !== undefined) yield { ...found, isDeletion: false };
  }
}

/** The index of the first change after a revision. */
function firstAfter(changes: readonly Happened[], revision: number): number {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((changes[middle]?.revision ?? 0) <= revision) low = middle + 1;
    else high = middle;
  }
  return low;
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const found = map.get(key);
  if (found === undefined) map.set(key, [value]);
  else found.push(value);
}
