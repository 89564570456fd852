// Secrets: as ConfigMaps, and a type that says which keys must be there.

import { textOfBase64 } from "../defaults/base64-text.ts";
import { jsonSyntaxError } from "../json-text-syntax.ts";
import type { Secret } from "../types.ts";
import { text } from "./absent.ts";
import { validateFrozen } from "./config-map.ts";
import { type FieldError, invalid, invalids, required, tooLong } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { configMapKey, nameIsDnsSubdomain } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { immutableField } from "./semantic-equal.ts";
import { base64Length } from "./utf8-length.ts";

const maxBytes = 1024 * 1024;
const rules = { namespaced: true, name: nameIsDnsSubdomain };
const accountKey = "kubernetes.io/service-account.name";
const dataPath = FieldPath.of("data");

export function validateSecret(secret: Secret): FieldError[] {
  const errors = validateObjectMeta(secret.metadata, rules);
  let bytes = 0;
  for (const key in secret.data) {
    bytes += base64Length(secret.data[key] ?? "");
    const details = configMapKey(key);
    if (details.length > 0) errors.push(...invalids(dataPath.key(key), key, details));
  }
  if (bytes > maxBytes) errors.push(tooLong(dataPath, maxBytes));
  return [...errors, ...validateType(secret)];
}

export function validateSecretUpdate(secret: Secret, old: Secret): FieldError[] {
  return [
    ...validateObjectMetaUpdate(secret.metadata, old.metadata),
    ...immutableField(text(secret.type), text(old.type), FieldPath.of("type")),
    ...validateFrozen(secret, old, ["data"]),
    ...validateSecret(secret),
  ];
}

function validateType(secret: Secret): FieldError[] {
  switch (secret.type) {
    case "kubernetes.io/service-account-token":
      return text(secret.metadata.annotations?.[accountKey]) === ""
        ? [required(FieldPath.of("metadata", "annotations").key(accountKey))]
        : [];
    case "kubernetes.io/dockercfg":
      return validateJson(secret, ".dockercfg");
    case "kubernetes.io/dockerconfigjson":
      return validateJson(secret, ".dockerconfigjson");
    case "kubernetes.io/basic-auth": {
      const keys = ["username", "password"];
      return keys.some((key) => has(secret, key)) ? [] : keys.map(missing);
    }
    case "kubernetes.io/ssh-auth":
      return text(secret.data?.["ssh-privatekey"]) === "" ? [missing("ssh-privatekey")] : [];
    case "kubernetes.io/tls":
      return ["tls.crt", "tls.key"].filter((key) => !has(secret, key)).map(missing);
    default:
      return [];
  }
}

/** A JSON object, or null. What it holds is nobody's business here. */
function validateJson(secret: Secret, key: string): FieldError[] {
  if (!has(secret, key)) return [missing(key)];
  const problem = jsonProblem(textOfBase64(text(secret.data?.[key])));
  if (problem === undefined) return [];
  return [invalid(dataPath.key(key), "<secret contents redacted>", problem)];
}

function jsonProblem(json: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // The parser's own words would repeat the secret.
    return jsonSyntaxError(json);
  }
  const type = Array.isArray(value) ? "array" : typeof value;
  if (type === "object") return undefined;
  const name = type === "boolean" ? "bool" : type;
  return `json: cannot unmarshal ${name} into Go value of type map[string]interface {}`;
}

function has(secret: Secret, key: string): boolean {
  return secret.data !== undefined && Object.hasOwn(secret.data, key);
}

function missing(key: string): FieldError {
  return required(dataPath.key(key));
}
