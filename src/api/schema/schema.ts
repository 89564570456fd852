// The words in which kinds are written down, once: type, default, merge key, list type, protobuf number and a short
// description of every field. Decoding, unknown fields, defaults, strategic merge, server-side apply, protobuf
// requests, OpenAPI, `explain` and the TypeScript types are all derived from these tables. Adding a field is one line.

import type { JsonValue } from "../json.ts";

/** How a single value is written in JSON. `time` has whole seconds, `microTime` six digits; `json` is anything. */
export type ScalarName =
  | "string"
  | "bool"
  | "int32"
  | "int64"
  | "double"
  | "bytes"
  | "time"
  | "microTime"
  | "quantity"
  | "intOrString"
  | "json";

export interface ScalarSchema {
  readonly is: "scalar";
  readonly scalar: ScalarName;
  /** The values that the API documents. Validation has the last word. */
  readonly values?: readonly string[];
}

export interface ObjectSchema {
  readonly is: "object";
  /** A function, because types refer to each other in circles. */
  readonly type: () => TypeSchema;
}

export interface ListSchema {
  readonly is: "list";
  readonly items: ValueSchema;
  /** For server-side apply: owned as a whole, by value, or by the item's keys. */
  readonly listType: "atomic" | "set" | "map";
  /** Which fields name an item. Only for "map". */
  readonly keys: readonly string[];
  /** Strategic merge: "" replaces the list; otherwise items are merged by this field; "*" is a set of scalars. */
  readonly mergeKey: string;
}

export interface MapSchema {
  readonly is: "map";
  readonly values: ValueSchema;
  /** For server-side apply: the map is owned as a whole. */
  readonly atomic: boolean;
}

export type ValueSchema = ScalarSchema | ObjectSchema | ListSchema | MapSchema;

export interface FieldFlags {
  /** OpenAPI says so; a missing value is judged by validation. */
  readonly required?: boolean;
  /** Absent and zero differ: a zero value that was sent is kept. Otherwise a zero value counts as absent. */
  readonly pointer?: boolean;
  /**
   * Written even if it is zero: `""`, `0`, `false`, `"0"` for a quantity, `{}` for an object; `null` for a list,
   * map, time or `json`, and for every value that is a pointer.
   */
  readonly alwaysEmit?: boolean;
  /**
   * Filled in when absent, whatever the rest of the object says. Other defaults are code. A zero value stays absent
   * unless the field is a pointer, but stands in for a missing key of a list item.
   */
  readonly default?: JsonValue;
  /** Strategic merge: keys that the patch does not name can be dropped with $retainKeys. */
  readonly retainKeys?: boolean;
  /** For server-side apply: this object is owned as a whole. Has precedence over what its type says. */
  readonly atomic?: boolean;
}

/** The flags that most fields have one of. */
export const pointer: FieldFlags = { pointer: true };
export const always: FieldFlags = { alwaysEmit: true };
export const required: FieldFlags = { required: true, alwaysEmit: true };

export interface FieldSchema extends FieldFlags {
  readonly name: string;
  /** In protobuf; 0 if the field is not in it. */
  readonly number: number;
  /** Numbers of the protobuf messages around the field that JSON does not show, outermost first. */
  readonly within: readonly number[];
  readonly value: ValueSchema;
  readonly about: string;
}

export interface TypeSchema {
  /** As in OpenAPI: `io.k8s.api.core.v1.Container`. */
  readonly name: string;
  readonly about: string;
  /** For server-side apply: values of this type are owned as a whole, also as items of a list. */
  readonly atomic?: boolean;
  /** By name, in the order in which they are written. */
  readonly fields: ReadonlyMap<string, FieldSchema>;
}

/** A field without the name, which is its key in the table. */
export type FieldEntry = Omit<FieldSchema, "name">;

export const string: ScalarSchema = { is: "scalar", scalar: "string" };
export const bool: ScalarSchema = { is: "scalar", scalar: "bool" };
export const int32: ScalarSchema = { is: "scalar", scalar: "int32" };
export const int64: ScalarSchema = { is: "scalar", scalar: "int64" };
export const double: ScalarSchema = { is: "scalar", scalar: "double" };
export const bytes: ScalarSchema = { is: "scalar", scalar: "bytes" };
export const time: ScalarSchema = { is: "scalar", scalar: "time" };
export const microTime: ScalarSchema = { is: "scalar", scalar: "microTime" };
export const quantity: ScalarSchema = { is: "scalar", scalar: "quantity" };
export const intOrString: ScalarSchema = { is: "scalar", scalar: "intOrString" };
export const json: ScalarSchema = { is: "scalar", scalar: "json" };

export function oneOf(...values: readonly string[]): ScalarSchema {
  return { is: "scalar", scalar: "string", values };
}

/** A function where types refer to each other in circles; otherwise the type, defined before its user. */
export function ref(type: TypeSchema | (() => TypeSchema)): ObjectSchema {
  return { is: "object", type: typeof type === "function" ? type : () => type };
}

/** Owned and replaced as a whole, unless the options say otherwise. */
export function listOf(
  items: ValueSchema,
  options: { readonly keys?: readonly string[]; readonly mergeKey?: string } = {},
): ListSchema {
  const { keys = [], mergeKey = "" } = options;
  return { is: "list", items, listType: keys.length > 0 ? "map" : "atomic", keys, mergeKey };
}

/** Options of `listOf`: server-side apply and strategic merge know the items by the same field. */
export function byKey(key: string): {
  readonly keys: readonly string[];
  readonly mergeKey: string;
} {
  return { keys: [key], mergeKey: key };
}

/** A list of scalars without order; `merge` also for strategic merge. */
export function setOf(items: ValueSchema, options: { readonly merge?: boolean } = {}): ListSchema {
  return {
    is: "list",
    items,
    listType: "set",
    keys: [],
    mergeKey: options.merge === true ? "*" : "",
  };
}

export function mapOf(values: ValueSchema, options: { readonly atomic?: boolean } = {}): MapSchema {
  return { is: "map", values, atomic: options.atomic === true };
}

export function field(
  number: number,
  value: ValueSchema,
  about: string,
  flags: FieldFlags = {},
): FieldEntry {
  return { number, within: [], value, about, ...flags };
}

/** The fields of a type whose values JSON shows in the object around it. `number` is the type's in protobuf. */
export function inlined(number: number, type: TypeSchema): Record<string, FieldEntry> {
  return Object.fromEntries(
    [...type.fields].map(([name, entry]) => [
      name,
      { ...entry, within: [number, ...entry.within] },
    ]),
  );
}

export function type(
  name: string,
  about: string,
  fields: Readonly<Record<string, FieldEntry>>,
  options: { readonly atomic?: boolean } = {},
): TypeSchema {
  const named = Object.entries(fields).map(
    ([key, entry]) => [key, { ...entry, name: key }] as const,
  );
  return { name, about, fields: new Map(named), ...options };
}

/** Whether server-side apply owns this object as a whole: the field decides, else its type. */
export function isAtomicObject(field: FieldSchema): boolean {
  return field.atomic ?? (field.value.is === "object" && field.value.type().atomic === true);
}
