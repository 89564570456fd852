// What a volume showed, in so little that it can be kept: versions of its objects, and a short hash for each of their keys. From two of them
// follows which keys changed in between. Never a value; a Secret's hashes are keyed with its uid (base/content-version.ts).

import type { ConfigKind } from "../../api/config/pod-uses.ts";
import type { ConfigObject, ObjectReference } from "../objects/config-object.ts";
import type { VolumeContent } from "../volumes/volume-plugin.ts";

export interface VolumeDigest {
  /** Content hash of the volume's files. */
  readonly version: string;
  /** Undefined: nobody knows. */
  readonly objects: readonly ObjectDigest[] | undefined;
}

interface ObjectDigest {
  readonly kind: ConfigKind;
  readonly name: string;
  readonly version: string;
  /** By key. Undefined: nobody knows. */
  readonly keys: Readonly<Record<string, string>> | undefined;
}

/** An object that is not what it was. */
export interface DigestChange {
  readonly kind: ConfigKind;
  readonly name: string;
  /** Added, changed or removed; undefined: nobody knows which. */
  readonly keys: readonly string[] | undefined;
}

/** 64 bits: enough to tell the values of one key apart. */
const KEY_DIGITS = 16;

/** `peek` may know the objects already as they will be shown: then it is not known what the keys were. */
export function digestOf(
  { version = "", versions }: VolumeContent,
  peek: (of: ObjectReference) => ConfigObject | "unknown" | undefined,
): VolumeDigest {
  const objects = versions.map((shown): ObjectDigest => {
    const { kind, name } = shown;
    const object = peek(shown);
    const isShown =
      object !== undefined && object !== "unknown" && object.version === shown.version;
    return { kind, name, version: shown.version, keys: isShown ? keysOf(object) : undefined };
  });
  return { version, objects };
}

function keysOf(object: ConfigObject): Readonly<Record<string, string>> {
  const { keys } = object;
  return Object.fromEntries(
    keys.map((key) => [key, object.versionOf([key]).slice(0, KEY_DIGITS)] as const),
  );
}

/** All of what is there now, if nobody knows what was. */
export function changesBetween(
  before: VolumeDigest | undefined,
  now: VolumeDigest,
): readonly DigestChange[] {
  const old = new Map((before?.objects ?? []).map((one) => [nameOf(one), one]));
  const current = new Map((now.objects ?? []).map((one) => [nameOf(one), one]));
  const names = new Set([...old.keys(), ...current.keys()]);
  return [...names].flatMap((name) => {
    const [was, is] = [old.get(name), current.get(name)];
    if (was !== undefined && was.version === is?.version) return [];
    const { kind, name: object } = (is ?? was) as ObjectDigest;
    return { kind, name: object, keys: changedKeys(was, is) };
  });
}

function nameOf({ kind, name }: ObjectDigest): string {
  return `${kind}/${name}`;
}

/** Where it is not known what a key was, it has changed. */
function changedKeys(
  was: ObjectDigest | undefined,
  is: ObjectDigest | undefined,
): readonly string[] | undefined {
  const now = is === undefined ? {} : is.keys;
  if (now === undefined) return undefined;
  const before = was?.keys ?? {};
  const keys = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...keys].filter((key) => before[key] !== now[key]);
}
