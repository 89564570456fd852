// ConfigMaps: keys that can be names of files, a total size, and a content that can be frozen.

import type { ConfigMap } from "../types.ts";
import { type FieldError, forbidden, invalid, invalids, tooLong } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { configMapKey, nameIsDnsSubdomain } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { semanticEqual } from "./semantic-equal.ts";
import { base64Length, utf8Length } from "./utf8-length.ts";

type Data = { readonly [key: string]: string } | undefined;

const maxBytes = 1024 * 1024;
const rules = { namespaced: true, name: nameIsDnsSubdomain };

export function validateConfigMap(configMap: ConfigMap): FieldError[] {
  const errors = validateObjectMeta(configMap.metadata, rules);
  const { data, binaryData } = configMap;
  for (const key in data) {
    const details = configMapKey(key);
    if (details.length > 0) errors.push(...invalids(FieldPath.of("data").key(key), key, details));
    if (binaryData !== undefined && Object.hasOwn(binaryData, key)) {
      const detail = "duplicate of key present in binaryData";
      errors.push(invalid(FieldPath.of("data").key(key), key, detail));
    }
  }
  for (const key in binaryData) {
    const details = configMapKey(key);
    if (details.length === 0) continue;
    errors.push(...invalids(FieldPath.of("binaryData").key(key), key, details));
  }
  // The original names no field here, which it shows as "[]".
  if (isTooLarge(data, binaryData)) errors.push(tooLong(FieldPath.of().key(""), maxBytes));
  return errors;
}

export function validateConfigMapUpdate(configMap: ConfigMap, old: ConfigMap): FieldError[] {
  return [
    ...validateObjectMetaUpdate(configMap.metadata, old.metadata),
    ...validateFrozen(configMap, old, ["data", "binaryData"]),
    ...validateConfigMap(configMap),
  ];
}

/** What is immutable stays as it is, and stays immutable. Also for Secrets. */
export function validateFrozen<T extends { immutable?: boolean | undefined }>(
  object: T,
  old: T,
  fields: readonly (keyof T & string)[],
): FieldError[] {
  if (old.immutable !== true) return [];
  const detail = "field is immutable when `immutable` is set";
  const changed = fields.filter((name) => !semanticEqual(asData(object[name]), asData(old[name])));
  const names = object.immutable === true ? changed : ["immutable", ...changed];
  return names.map((name) => forbidden(FieldPath.of(name), detail));
}

function asData(value: unknown): Data {
  return value as Data;
}

/** Counts bytes only where the number of characters does not decide. */
function isTooLarge(data: Data, binaryData: Data): boolean {
  let binary = 0;
  for (const key in binaryData) binary += base64Length(binaryData[key] ?? "");
  let units = 0;
  for (const key in data) units += data[key]?.length ?? 0;
  if (binary + units > maxBytes) return true;
  if (binary + units * 3 <= maxBytes) return false;
  let bytes = binary;
  for (const key in data) bytes += utf8Length(data[key] ?? "");
  return bytes > maxBytes;
}
