// The one form that an object has once it is read: fields in table order, map keys sorted, Go's zero values absent
// unless the table says otherwise. Reading JSON and reading protobuf agree because both build objects here.

import type { JsonObject, JsonValue } from "./json.ts";
import type { FieldSchema, ScalarName, TypeSchema, ValueSchema } from "./schema/schema.ts";

const zeroScalars: Readonly<Record<ScalarName, JsonValue>> = {
  string: "",
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
  bytes: "",
  time: null,
  microTime: null,
  quantity: "0",
  intOrString: 0,
  json: null,
};

export interface Layout {
  readonly fields: readonly FieldSchema[];
  /** Of each field among the fields, by name. */
  readonly positions: ReadonlyMap<string, number>;
}

const layouts = new WeakMap<TypeSchema, Layout>();

/** The fields of a type by position, made once for each type. */
export function layoutOf(type: TypeSchema): Layout {
  const known = layouts.get(type);
  if (known !== undefined) return known;
  const fields = [...type.fields.values()];
  const positions = new Map(fields.map(({ name }, position) => [name, position]));
  const layout = { fields, positions };
  layouts.set(type, layout);
  return layout;
}

/** A fresh value, as it is written for a field that is always there. */
export function zeroOf(field: Pick<FieldSchema, "value" | "pointer">): JsonValue {
  if (field.pointer === true) return null;
  const { value } = field;
  if (value.is === "scalar") return zeroScalars[value.scalar];
  return value.is === "object" ? emptyObject(value.type()) : null;
}

function emptyObject(type: TypeSchema): JsonObject {
  const object: JsonObject = {};
  for (const field of layoutOf(type).fields) {
    if (field.alwaysEmit === true) object[field.name] = zeroOf(field);
  }
  return object;
}

/** An object of the values found, by position; the fields that are always there are filled in. */
export function assemble(
  fields: readonly FieldSchema[],
  found: readonly (JsonValue | undefined)[],
): JsonObject {
  const object: JsonObject = {};
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i];
    if (field === undefined) continue;
    const value = found[i] ?? (field.alwaysEmit === true ? zeroOf(field) : undefined);
    if (value !== undefined) object[field.name] = value;
  }
  return object;
}

/** The value, or undefined if it is the same as none. */
export function kept(field: FieldSchema, value: JsonValue): JsonValue | undefined {
  const significant = field.pointer === true || field.alwaysEmit === true;
  return significant || !isZero(field.value, value) ? value : undefined;
}

/** Whether the value counts as absent. A quantity does not: Go writes it once it is there. */
function isZero(schema: ValueSchema, value: JsonValue): boolean {
  switch (schema.is) {
    case "scalar":
      return schema.scalar !== "json" && (value === "" || value === 0 || value === false);
    case "list":
      return Array.isArray(value) && value.length === 0;
    case "object":
    case "map":
      return typeof value === "object" && value !== null && isEmpty(value);
  }
}

function isEmpty(value: object): boolean {
  for (const _key in value) return false;
  return true;
}

export function sortedKeys(value: JsonObject): string[] {
  const keys = Object.keys(value);
  for (let i = 1; i < keys.length; i++) {
    if ((keys[i - 1] ?? "") > (keys[i] ?? "")) return keys.sort();
  }
  return keys;
}

/** Sets a property of the object itself. An assignment to `__proto__` would change what the object is instead of what it holds. */
export function setOwn(object: JsonObject, key: string, value: JsonValue): void {
  if (key !== "__proto__") object[key] = value;
  else
    Object.defineProperty(object, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
}
