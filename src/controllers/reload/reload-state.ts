// Which content a workload's pods were last made for, as an annotation of the workload keeps it: per object a hash of each key that a restart
// depends on. Compared with what the objects hold now it gives what changed, however long ago and whoever was watching.

import type { ConfigKind } from "../../api/config/pod-uses.ts";

/** On the workload: changing it rolls nothing. */
export const BASELINE = "driftless.dev/reload-baseline";

interface ObjectState {
  /** Changes when the workload uses the object in another way, or asks for other things. */
  readonly shape: string;
  /** By key; undefined if there was no such object. */
  readonly hashes: Readonly<Record<string, string>> | undefined;
}

/** By `objectName`. */
export type ReloadState = Readonly<Record<string, ObjectState>>;

/** What a workload should have been made for now, of one object. */
export interface WantedObject {
  readonly kind: ConfigKind;
  readonly name: string;
  readonly shape: string;
  /** Undefined: there is no such object. */
  readonly hashes: Readonly<Record<string, string>> | undefined;
  /** What the same content would have been called in the object of this name that was there before. */
  readonly formerHashes: Readonly<Record<string, string>>;
  /** Pods start without it: that it has come is a change. Those that need it have waited. */
  readonly isOptional: boolean;
}

export interface ObjectChange {
  readonly kind: ConfigKind;
  readonly name: string;
  /** Added, changed or removed, in order. */
  readonly keys: readonly string[];
}

export interface StateDifference {
  readonly changes: readonly ObjectChange[];
  /** To be kept once the changes are dealt with, or at once if there are none. */
  readonly next: ReloadState;
}

/** "configmap/app". */
export function objectName({
  kind,
  name,
}: {
  readonly kind: ConfigKind;
  readonly name: string;
}): string {
  return `${kind.toLowerCase()}/${name}`;
}

/** `recorded` undefined: the workload is seen for the first time, and all is as it should be. */
export function difference(
  recorded: ReloadState | undefined,
  wanted: readonly WantedObject[],
  /** Objects of which nothing is known now: what is recorded of them stays. */
  isUnknown: (object: string) => boolean,
): StateDifference {
  const changes: ObjectChange[] = [];
  const next: Record<string, ObjectState> = {};
  for (const [object, state] of Object.entries(recorded ?? {})) {
    if (isUnknown(object)) next[object] = state;
  }
  for (const one of wanted) {
    const held = recorded?.[objectName(one)];
    next[objectName(one)] = stateOf(one, held);
    const keys = held === undefined ? [] : changedKeys(held, one);
    if (keys.length > 0) changes.push({ kind: one.kind, name: one.name, keys });
  }
  return { changes, next };
}

/** What was deleted counts as it was: if it comes back the same, nothing has happened. */
function stateOf({ shape, hashes }: WantedObject, held: ObjectState | undefined): ObjectState {
  return { shape, hashes: hashes ?? held?.hashes };
}

function changedKeys(held: ObjectState, now: WantedObject): readonly string[] {
  if (now.hashes === undefined) return [];
  if (held.hashes === undefined) return now.isOptional ? Object.keys(now.hashes).toSorted() : [];
  const { hashes: before } = held;
  const { hashes: after, formerHashes } = now;
  const isSameShape = held.shape === now.shape;
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const isChanged = (key: string): boolean => {
    const [was, is] = [before[key], after[key]];
    // In another shape a key that is only on one side was not, or is not, used; who uses it now has just been told so.
    if (was === undefined || is === undefined) return isSameShape;
    return was !== is && was !== formerHashes[key];
  };
  return [...keys].filter(isChanged).toSorted();
}

/** Compact: annotations are small. */
export function stateText(state: ReloadState): string {
  const entries = Object.entries(state).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(
    Object.fromEntries(
      entries.map(([object, { shape, hashes }]) => [object, [shape, sorted(hashes) ?? null]]),
    ),
  );
}

/** Undefined if there is none, or somebody has written something else in its place. */
export function parseState(text: string | undefined): ReloadState | undefined {
  if (text === undefined) return undefined;
  try {
    const parsed = JSON.parse(text) as unknown;
    if (!isRecord(parsed)) return undefined;
    const states = Object.entries(parsed).map(([object, state]) => [object, objectState(state)]);
    return Object.fromEntries(states) as ReloadState;
  } catch {
    return undefined; // Not JSON, or not ours: the workload counts as seen for the first time.
  }
}

function objectState(state: unknown): ObjectState {
  if (!Array.isArray(state) || typeof state[0] !== "string") throw new Error("not a state");
  const [shape, hashes] = state as [string, unknown];
  if (hashes === null) return { shape, hashes: undefined };
  if (!isRecord(hashes)) throw new Error("not a state");
  const words = Object.entries(hashes).filter(([, hash]) => typeof hash === "string");
  return { shape, hashes: Object.fromEntries(words) as Record<string, string> };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(
  hashes: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> | undefined {
  if (hashes === undefined) return undefined;
  return Object.fromEntries(Object.entries(hashes).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
