// Shows a value of the API the way the original server shows its own form of it: every field, in its order.

import type { JsonObject, JsonValue } from "../json.ts";
import { internalTypes } from "./internal-types.ts";

interface InternalField {
  readonly name: string;
  readonly jsonName: string;
  readonly isList: boolean;
  readonly isPointer: boolean;
  /** "" for a string, "#", "!", "{}", "=" or the name of a type. */
  readonly kind: string;
}

let parsed: ReadonlyMap<string, readonly InternalField[]> | undefined;

/** `type` is one of the types of internal-types.ts; a type that is not there is shown as it is. */
export function internalForm(type: string, value: object): JsonObject {
  parsed ??= parseTypes(internalTypes);
  const fields = parsed.get(type);
  if (fields === undefined) return value as JsonObject;
  const source = value as JsonObject;
  return Object.fromEntries(
    fields.map((field) => [field.name, show(field, source[field.jsonName])]),
  );
}

function show(field: InternalField, value: JsonValue | undefined): JsonValue {
  if (field.isList) {
    if (!Array.isArray(value)) return null;
    return value.map((item) => showOne(field.kind, item));
  }
  if (field.isPointer && (value === undefined || value === null)) return null;
  return showOne(field.kind, value);
}

function showOne(kind: string, value: JsonValue | undefined): JsonValue {
  switch (kind) {
    case "":
      return value ?? "";
    case "#":
      return value ?? 0;
    case "!":
      return value ?? false;
    case "{}":
      return value ?? null;
    case "=":
      // Of what is not a pointer, only quantities and ports: both are 0 when absent.
      return value ?? "0";
    default:
      return internalForm(kind, (value ?? {}) as JsonObject);
  }
}

function parseTypes(text: string): Map<string, readonly InternalField[]> {
  const types = new Map<string, InternalField[]>();
  let fields: InternalField[] = [];
  for (const line of text.split("\n").filter((line) => line !== "")) {
    if (!line.startsWith(" ")) {
      fields = [];
      types.set(line, fields);
      continue;
    }
    for (const word of line.trim().split(" ")) {
      if (word.startsWith("...")) fields.push(...(types.get(word.slice(3)) ?? []));
      else fields.push(parseField(word));
    }
  }
  return types;
}

function parseField(word: string): InternalField {
  const [names = "", type = ""] = word.split(":");
  const [name = "", jsonName = name.charAt(0).toLowerCase() + name.slice(1)] = names.split("/");
  const isList = type.startsWith("[]");
  const isPointer = type.startsWith("*");
  const kind = isList ? type.slice(2) : isPointer ? type.slice(1) : type;
  return { name, jsonName, isList, isPointer, kind };
}
