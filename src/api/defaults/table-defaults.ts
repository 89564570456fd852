// Fills in the defaults that the tables of the kinds know. For each type it is worked out once which of its fields can
// lead to a default at all; an object is then walked along those, and most are not walked.

import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { FieldSchema, TypeSchema, ValueSchema } from "../schema/schema.ts";

interface Plan {
  readonly defaults: readonly FieldSchema[];
  readonly nested: readonly FieldSchema[];
}

const plans = new WeakMap<TypeSchema, Plan>();

/** Changes the object. Fields that are there stay as they are, also if they are zero. */
export function applyTableDefaults(type: TypeSchema, object: JsonObject): void {
  const { defaults, nested } = planFor(type);
  for (const field of defaults) {
    if (isAbsent(object[field.name])) object[field.name] = structuredClone(field.default);
  }
  for (const field of nested) fillValue(field.value, object[field.name]);
}

function fillValue(schema: ValueSchema, value: JsonValue | undefined): void {
  switch (schema.is) {
    case "scalar":
      return;
    case "object":
      if (isJsonObject(value)) applyTableDefaults(schema.type(), value);
      return;
    case "list":
      if (Array.isArray(value)) for (const item of value) fillValue(schema.items, item);
      return;
    case "map":
      if (isJsonObject(value)) {
        for (const item of Object.values(value)) fillValue(schema.values, item);
      }
  }
}

function planFor(type: TypeSchema): Plan {
  const known = plans.get(type);
  if (known !== undefined) return known;
  const fields = [...type.fields.values()];
  const plan = {
    defaults: fields.filter(hasEffect),
    nested: fields.filter((field) => leadsToDefault(field.value, new Set())),
  };
  plans.set(type, plan);
  return plan;
}

/** A zero that would be left out again is no default. */
function hasEffect(field: FieldSchema): boolean {
  if (field.default === undefined) return false;
  if (field.pointer === true || field.alwaysEmit === true) return true;
  return field.default !== "" && field.default !== 0 && field.default !== false;
}

function leadsToDefault(schema: ValueSchema, seen: Set<TypeSchema>): boolean {
  switch (schema.is) {
    case "scalar":
      return false;
    case "list":
      return leadsToDefault(schema.items, seen);
    case "map":
      return leadsToDefault(schema.values, seen);
    case "object": {
      const type = schema.type();
      if (seen.has(type)) return false;
      seen.add(type);
      return [...type.fields.values()].some(
        (field) => hasEffect(field) || leadsToDefault(field.value, seen),
      );
    }
  }
}

function isAbsent(value: JsonValue | undefined): boolean {
  return value === undefined || value === null;
}
