// Files of a volume: which key or field goes where, and with which mode.

import type { JsonObject } from "../json.ts";
import type { DownwardAPIVolumeFile, KeyToPath } from "../types.ts";
import { isAbsent } from "./absent.ts";
import { validateFieldRef, validateResourceFieldRef } from "./env.ts";
import { type FieldError, invalid, required } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { validateLocalPath } from "./path-rules.ts";

export function validateMode(mode: number | null | undefined, path: FieldPath): FieldError[] {
  if (isAbsent(mode) || (mode >= 0 && mode <= 0o777)) return [];
  const detail = "must be a number between 0 and 0777 (octal), both inclusive";
  return [invalid(path, mode, detail)];
}

export function validateKeyToPath(item: KeyToPath, path: FieldPath): FieldError[] {
  return [
    ...missing(item, path, ["key", "path"]),
    ...validateLocalPath(item.path, path.child("path")),
    ...validateMode(item.mode, path.child("mode")),
  ];
}

/** The path is that of the list, for all files. */
export function validateDownwardFile(file: DownwardAPIVolumeFile, path: FieldPath): FieldError[] {
  const errors = [
    ...missing(file, path, ["path"]),
    ...validateLocalPath(file.path, path.child("path")),
  ];
  const { fieldRef, resourceFieldRef } = file;
  if (!isAbsent(fieldRef)) {
    errors.push(...validateFieldRef(fieldRef, "volume", path.child("fieldRef")));
    if (!isAbsent(resourceFieldRef)) {
      const detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
      errors.push(invalid(path, "resource", detail));
    }
  } else if (!isAbsent(resourceFieldRef)) {
    const at = path.child("resourceFieldRef");
    errors.push(...validateResourceFieldRef(resourceFieldRef, "volume", at));
  } else {
    errors.push(required(path, "one of fieldRef and resourceFieldRef is required"));
  }
  return [...errors, ...validateMode(file.mode, path.child("mode"))];
}

/** `Required value` for each of the named fields that has nothing in it. */
export function missing(source: object, path: FieldPath, names: readonly string[]): FieldError[] {
  return names.filter((name) => isEmpty(source, name)).map((name) => required(path.child(name)));
}

function isEmpty(source: object, name: string): boolean {
  const value = (source as JsonObject)[name];
  return isAbsent(value) || value === "" || (Array.isArray(value) && value.length === 0);
}
