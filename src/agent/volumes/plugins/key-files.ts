// The keys of a ConfigMap or a Secret as files: all of them, or those that the volume lists, where it wants them.

import { isNotFound, notFound } from "../../../api/status-error.ts";
import type { KeyToPath } from "../../../api/types.ts";
import type { ConfigObject, ObjectKind, ObjectReference } from "../../objects/config-object.ts";
import { type FileDefaults, requiredMode, type VolumeFiles } from "./volume-files.ts";

export interface KeySource {
  readonly of: ObjectReference;
  readonly items: readonly KeyToPath[] | undefined;
  /** Covers the object and its keys: what is not there makes no file. */
  readonly isOptional: boolean;
}

/** Gives the object, or throws what stands in the way: StatusError NotFound if the server has none. */
export type ReadObject = (of: ObjectReference) => ConfigObject;

const MISSING_KEY: Readonly<Record<ObjectKind, string>> = {
  ConfigMap: "configmap references non-existent config key",
  Secret: "references non-existent secret key",
};

export function keyFiles(source: KeySource, read: ReadObject, defaults: FileDefaults): VolumeFiles {
  const { of, items = [], isOptional } = source;
  const object = objectOf(source, read);
  const mode = requiredMode(defaults);
  const { user: uid } = defaults;
  if (items.length === 0) {
    return (object?.keys ?? []).map((key) => [key, { data: bytesOf(object, key), mode, uid }]);
  }
  const files: VolumeFiles[number][] = [];
  for (const item of items) {
    const data = object?.bytes(item.key);
    if (data !== undefined) {
      files.push([item.path, { data, mode: item.mode ?? mode, uid: item.user ?? uid }]);
    } else if (!isOptional) {
      throw new Error(`${MISSING_KEY[of.kind]}: ${item.key}`);
    }
  }
  return files;
}

/** As the watching kubelet says it: in the singular. */
export function objectNotFound({ kind, name }: ObjectReference): Error {
  return notFound({ group: "", resource: kind.toLowerCase(), kind }, name);
}

function objectOf({ of, isOptional }: KeySource, read: ReadObject): ConfigObject | undefined {
  try {
    return read(of);
  } catch (err) {
    if (isOptional && isNotFound(err)) return undefined;
    throw err;
  }
}

function bytesOf(object: ConfigObject | undefined, key: string): Uint8Array {
  return object?.bytes(key) ?? new Uint8Array();
}
