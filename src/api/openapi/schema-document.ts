// A table as the schema object of OpenAPI. Versions 2 and 3 differ in where definitions are, in how a reference stands
// next to other words, and in that only version 3 tells defaults.

import type { JsonObject, JsonValue } from "../json.ts";
import { zeroOf } from "../object-form.ts";
import type {
  FieldSchema,
  ListSchema,
  ScalarName,
  TypeSchema,
  ValueSchema,
} from "../schema/schema.ts";

export type Dialect = "v2" | "v3";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
/** Scalars that are types of their own in the documents. */
const namedScalars: Readonly<Partial<Record<ScalarName, string>>> = {
  time: `${meta}.Time`,
  microTime: `${meta}.MicroTime`,
  quantity: "io.k8s.apimachinery.pkg.api.resource.Quantity",
  intOrString: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
  json: "io.k8s.apimachinery.pkg.runtime.RawExtension",
};
const fieldsV1 = `${meta}.FieldsV1`;
/** The body of a patch, whatever its format. */
export const patchType: string = `${meta}.Patch`;

const plainScalars: Readonly<Partial<Record<ScalarName, JsonObject>>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  double: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
};

/** The definitions that no table has: by name. */
export function specialDefinitions(dialect: Dialect): JsonObject {
  const isV3 = dialect === "v3";
  return {
    [`${meta}.Time`]: { type: "string", format: "date-time" },
    [`${meta}.MicroTime`]: { type: "string", format: "date-time" },
    [fieldsV1]: { type: "object" },
    [patchType]: { type: "object" },
    "io.k8s.apimachinery.pkg.runtime.RawExtension": { type: "object" },
    "io.k8s.apimachinery.pkg.api.resource.Quantity": isV3
      ? { oneOf: [{ type: "string" }, { type: "number" }] }
      : { type: "string" },
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": isV3
      ? { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] }
      : { type: "string", format: "int-or-string" },
  };
}

export function referenceTo(name: string, dialect: Dialect): JsonObject {
  const place = dialect === "v2" ? "#/definitions/" : "#/components/schemas/";
  return { $ref: place + name };
}

/** Without the group, version and kind, which depend on where the type is served. */
export function typeDocument(type: TypeSchema, dialect: Dialect): JsonObject {
  const fields = [...type.fields.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const required = [...type.fields.values()].filter((field) => field.required === true);
  return {
    ...described(type.about),
    type: "object",
    ...(required.length > 0 && { required: required.map(({ name }) => name) }),
    ...(fields.length > 0 && {
      properties: Object.fromEntries(
        fields.map((field) => [field.name, fieldDocument(field, dialect)]),
      ),
    }),
    ...(type.atomic === true && { "x-kubernetes-map-type": "atomic" }),
  };
}

function fieldDocument(field: FieldSchema, dialect: Dialect): JsonObject {
  const reference = referredType(field.value, field.name);
  const around = {
    ...described(field.about),
    ...(dialect === "v3" && defaultOf(field)),
    ...ownership(field),
    ...patchStrategy(field),
  };
  if (reference === undefined) return { ...around, ...valueDocument(field.value, dialect) };
  const target = referenceTo(reference, dialect);
  // Version 3 does not allow words next to a reference.
  return dialect === "v2" ? { ...around, ...target } : { ...around, allOf: [target] };
}

function valueDocument(value: ValueSchema, dialect: Dialect): JsonObject {
  const reference = referredType(value, "");
  if (reference !== undefined) return referenceTo(reference, dialect);
  if (value.is === "list") return listDocument(value, dialect);
  if (value.is === "map") {
    return {
      type: "object",
      additionalProperties: valueDocument(value.values, dialect),
      ...(value.atomic && { "x-kubernetes-map-type": "atomic" }),
    };
  }
  if (value.is === "scalar") {
    const choices = value.values === undefined ? {} : { enum: [...value.values].sort() };
    return { ...plainScalars[value.scalar], ...choices };
  }
  return {};
}

function listDocument(list: ListSchema, dialect: Dialect): JsonObject {
  return {
    type: "array",
    items: valueDocument(list.items, dialect),
    ...(list.keys.length > 0 && { "x-kubernetes-list-map-keys": [...list.keys] }),
    "x-kubernetes-list-type": list.listType,
  };
}

/** Where the field says something else than its type. */
function ownership({ atomic }: FieldSchema): JsonObject {
  if (atomic === undefined) return {};
  return { "x-kubernetes-map-type": atomic ? "atomic" : "granular" };
}

function patchStrategy(field: FieldSchema): JsonObject {
  const mergeKey = field.value.is === "list" ? field.value.mergeKey : "";
  const strategies = [
    ...(mergeKey === "" ? [] : ["merge"]),
    ...(field.retainKeys === true ? ["retainKeys"] : []),
  ];
  if (strategies.length === 0) return {};
  return {
    ...(mergeKey !== "" && mergeKey !== "*" && { "x-kubernetes-patch-merge-key": mergeKey }),
    "x-kubernetes-patch-strategy": strategies.join(","),
  };
}

/** What the table says, or the zero value of what is always there. */
function defaultOf(field: FieldSchema): { readonly default?: JsonValue } {
  if (field.default !== undefined) return { default: field.default };
  if (field.alwaysEmit !== true || field.pointer === true) return {};
  if (field.value.is === "object") return { default: {} };
  const isPlain = field.value.is === "scalar" && plainScalars[field.value.scalar] !== undefined;
  return isPlain && !isBytes(field) ? { default: zeroOf(field) } : {};
}

function isBytes({ value }: FieldSchema): boolean {
  return value.is === "scalar" && value.scalar === "bytes";
}

function referredType(value: ValueSchema, name: string): string | undefined {
  if (value.is === "object") return value.type().name;
  if (value.is !== "scalar") return undefined;
  return value.scalar === "json" && name === "fieldsV1" ? fieldsV1 : namedScalars[value.scalar];
}

function described(about: string): { readonly description?: string } {
  return about === "" ? {} : { description: about };
}
