// Where in a kind another object can be named: read from the tables, so that a new field cannot be forgotten.

import type { JsonObject, JsonValue } from "../../../api/json.ts";
import type { TypeSchema, ValueSchema } from "../../../api/schema/schema.ts";

/** "spec.volumes.*.secret.secretName": every text in the type; "*" is an item of a list. */
export function textPaths(type: TypeSchema, above: readonly TypeSchema[] = []): readonly string[] {
  if (above.includes(type)) return [];
  return [...type.fields].flatMap(([name, { value }]) =>
    pathsIn(value, [...above, type]).map((rest) => (rest === "" ? name : `${name}.${rest}`)),
  );
}

function pathsIn(value: ValueSchema, above: readonly TypeSchema[]): readonly string[] {
  switch (value.is) {
    case "scalar":
      return value.scalar === "string" ? [""] : [];
    case "object":
      return textPaths(value.type(), above);
    case "list":
      return pathsIn(value.items, above).map((rest) => (rest === "" ? "*" : `*.${rest}`));
    case "map":
      return [];
  }
}

/** An object with this text and nothing else. */
export function objectWith(path: string, text: string): JsonObject {
  const made = path
    .split(".")
    .reduceRight<JsonValue>((inner, name) => (name === "*" ? [inner] : { [name]: inner }), text);
  return made as JsonObject;
}
