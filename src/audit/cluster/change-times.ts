// When the content of an object last changed, as far as a server tells: from the times at which its writers last wrote (managedFields), and from
// the revision that Driftless keeps of each content. A writer's time also moves when it writes something else of the object; a revision's does
// not. So the content is at most as young as the older of the two.

import { isJsonObject, type JsonValue } from "../../api/json.ts";
import type { ObjectMeta } from "../../api/types.ts";

export interface ObjectChanges {
  /** One for each writer that owns content. */
  readonly writes: readonly ContentWrite[];
  /** When the newest revision was made; undefined if there are none. */
  readonly revisionAtMs: number | undefined;
}

export interface ContentWrite {
  readonly atMs: number;
  readonly manager: string;
  /** Keys that it owns. */
  readonly keys: ReadonlySet<string>;
}

export interface LastChange {
  readonly atMs: number;
  readonly manager: string;
}

export function contentWrites({
  managedFields,
}: Pick<ObjectMeta, "managedFields">): readonly ContentWrite[] {
  return (managedFields ?? []).flatMap(({ time, manager = "", fieldsV1, subresource = "" }) => {
    const atMs = Date.parse(time ?? "");
    const keys = new Set([
      ...ownedKeys(fieldsV1, "f:data"),
      ...ownedKeys(fieldsV1, "f:binaryData"),
    ]);
    return Number.isNaN(atMs) || keys.size === 0 || subresource !== ""
      ? []
      : [{ atMs, manager, keys }];
  });
}

function ownedKeys(fields: JsonValue | undefined, name: string): readonly string[] {
  const map = isJsonObject(fields) ? fields[name] : undefined;
  if (!isJsonObject(map)) return [];
  return Object.keys(map).flatMap((key) => (key.startsWith("f:") ? key.slice(2) : []));
}

/** Of these keys, or of all; undefined if nobody knows. A key that somebody removed leaves no trace. */
export function lastChange(
  { writes, revisionAtMs }: ObjectChanges,
  keys: readonly string[] | undefined,
): LastChange | undefined {
  const touching = writes.filter((write) => keys?.some((key) => write.keys.has(key)) ?? true);
  const newest = touching.toSorted((a, b) => b.atMs - a.atMs)[0];
  if (newest === undefined) return undefined;
  const { atMs, manager } = newest;
  return { atMs: Math.min(atMs, revisionAtMs ?? atMs), manager };
}
