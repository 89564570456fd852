// What the tables say about ownership at each place of an object. An object or list that is owned as a whole is a
// leaf, just as a scalar is; everything else is entered.

import {
  type FieldSchema,
  isAtomicObject,
  type ListSchema,
  type MapSchema,
  type ObjectSchema,
  type TypeSchema,
  type ValueSchema,
} from "../schema/schema.ts";

export type Place = "leaf" | ObjectSchema | MapSchema | ListSchema;

function placeOfField(field: FieldSchema): Place {
  return isAtomicObject(field) ? "leaf" : placeOfValue(field.value);
}

/** Of an item of a list, or a value of a map. */
export function placeOfValue(schema: ValueSchema): Place {
  switch (schema.is) {
    case "scalar":
      return "leaf";
    case "object":
      return schema.type().atomic === true ? "leaf" : schema;
    case "map":
      return schema.atomic ? "leaf" : schema;
    case "list":
      return schema.listType === "atomic" ? "leaf" : schema;
  }
}

export function placeOfRoot(type: TypeSchema): ObjectSchema {
  return { is: "object", type: () => type };
}

/** What a key of the object or map leads to. Unknown fields are leaves. */
export function placeOfKey(place: ObjectSchema | MapSchema, key: string): Place {
  if (place.is === "map") {
    return placeOfValue(place.values);
  }
  const field = place.type().fields.get(key);
  return field === undefined ? "leaf" : placeOfField(field);
}

/** Whether the key is a field of the table, not a key that a client chose. */
export function isNamedField(place: ObjectSchema | MapSchema, key: string): boolean {
  return place.is === "object" && place.type().fields.has(key);
}
