// Objects that fit a table and make no further sense: every field may be missing, null, empty, plausible or absurd.

import type { JsonObject, JsonValue } from "../../../api/json.ts";
import type {
  ScalarName,
  ScalarSchema,
  TypeSchema,
  ValueSchema,
} from "../../../api/schema/schema.ts";
import type { Random } from "../../../base/random.ts";

/** Deep enough for the selector of a volume's claim in a template; recursive types end there. */
const maxDepth = 12;
const texts = [
  "",
  "x",
  "a.b",
  "Bad_Name",
  "example.com/a",
  "*",
  "10.0.0.1",
  "::1",
  "25%",
  "TZ=0 * *",
];
const numbers = [-1, 0, 1, 80, 70_000];
const scalars: Readonly<Record<ScalarName, readonly JsonValue[]>> = {
  string: texts,
  bool: [true, false],
  int32: numbers,
  int64: numbers,
  double: numbers,
  bytes: ["", "AAA="],
  time: ["2026-01-02T03:04:05Z", "2020-01-01T00:00:00Z"],
  microTime: ["2026-01-02T03:04:05.000000Z", "2020-01-01T00:00:00.000001Z"],
  quantity: ["0", "1", "-1", "100m", "0.5n", "1Gi"],
  intOrString: [...numbers, ...texts],
  json: [{}, [], 1, "x", { a: 1 }],
};

export function randomObject(type: TypeSchema, random: Random): JsonObject {
  return randomFields(type, random, 0);
}

function randomFields(type: TypeSchema, random: Random, depth: number): JsonObject {
  const object: JsonObject = {};
  for (const field of type.fields.values()) {
    // Half of the fields; deeper down fewer, so that objects stay small.
    if (depth > maxDepth || random.uint32() % (depth > 4 ? 4 : 2) > 0) continue;
    object[field.name] =
      random.uint32() % 8 === 0 ? null : randomValue(field.value, random, depth + 1);
  }
  return object;
}

function randomValue(schema: ValueSchema, random: Random, depth: number): JsonValue {
  const count = random.uint32() % 3;
  switch (schema.is) {
    case "scalar":
      return randomScalar(schema, random);
    case "object":
      return randomFields(schema.type(), random, depth);
    case "list":
      return Array.from({ length: count }, () => randomValue(schema.items, random, depth));
    case "map":
      return Object.fromEntries(
        Array.from({ length: count }, () => [
          pick(["storage", "cpu", ...texts], random),
          randomValue(schema.values, random, depth),
        ]),
      );
  }
}

function randomScalar({ scalar, values }: ScalarSchema, random: Random): JsonValue {
  const value = pick(scalars[scalar], random);
  return values === undefined || random.uint32() % 2 === 0 ? value : pick(values, random);
}

function pick<T>(items: readonly T[], random: Random): T {
  const item = items[random.uint32() % items.length];
  if (item === undefined) throw new Error("Cannot pick from an empty list");
  return item;
}
