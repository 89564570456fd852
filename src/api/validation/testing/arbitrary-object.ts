// Objects of a kind as nobody would write them, made from its table: fields missing, empty, null, twice, huge or
// nonsense, but of a type that decodes.

import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../json.ts";
import type {
  FieldSchema,
  ScalarName,
  ScalarSchema,
  TypeSchema,
  ValueSchema,
} from "../../schema/schema.ts";

const texts = [
  "",
  "a",
  "-",
  "..",
  "../x",
  "/",
  "a/b/c",
  "example.com/x",
  "A_B",
  "\u0000\n",
  "ü😀",
  "x".repeat(300),
  "10.0.0.1",
  "::ffff:1.2.3.4",
  "fe80::1/64",
  "[':']",
  "metadata.labels['x']",
  "Always",
  "Never",
  "In",
  "Exists",
  "Localhost",
  "Bidirectional",
  "None",
  "windows",
  "linux",
  "kubernetes.io/tls",
  "kubernetes.io/dockercfg",
  "__proto__",
  "constructor",
  "hugepages-2Mi",
  "cpu",
];

/** As below, and with something in the fields that are named: paths such as "spec.containers". */
export function arbitraryWith(
  type: TypeSchema,
  paths: readonly string[],
  depth = 6,
): fc.Arbitrary<JsonObject> {
  const heads = [...new Set(paths.map((path) => path.split(".")[0] ?? ""))];
  const wanted = heads.map((head) => {
    const rest = paths
      .filter((path) => path.startsWith(`${head}.`))
      .map((path) => path.slice(head.length + 1));
    const schema = type.fields.get(head)?.value;
    if (schema === undefined) throw new Error(`${type.name} has no field ${head}`);
    const value =
      schema.is === "object"
        ? arbitraryWith(schema.type(), rest, depth - 1)
        : arbitraryValue(schema, depth);
    return value.map((made) => [head, made]);
  });
  return fc
    .tuple(arbitraryObject(type, depth), fc.tuple(...wanted))
    .map(([object, pairs]) => ({ ...object, ...(Object.fromEntries(pairs) as JsonObject) }));
}

/** `depth` says how many objects may be in each other; what is deeper is absent. */
export function arbitraryObject(type: TypeSchema, depth = 5): fc.Arbitrary<JsonObject> {
  const fields = [...type.fields.values()];
  return fc.array(fc.nat(Math.max(fields.length - 1, 0)), { maxLength: 6 }).chain((picked) => {
    const chosen = [...new Set(picked)]
      .map((i) => fields[i])
      .filter((field) => field !== undefined);
    const entries = chosen.map((field) =>
      fieldValue(field, depth).map((value) => [field.name, value]),
    );
    return fc.tuple(...entries).map((pairs) => Object.fromEntries(pairs) as JsonObject);
  });
}

function fieldValue(field: FieldSchema, depth: number): fc.Arbitrary<JsonValue> {
  return fc.oneof(
    { weight: 8, arbitrary: arbitraryValue(field.value, depth) },
    { weight: 1, arbitrary: fc.constant(null) },
  );
}

function arbitraryValue(schema: ValueSchema, depth: number): fc.Arbitrary<JsonValue> {
  switch (schema.is) {
    case "scalar":
      return arbitraryScalar(schema);
    case "object":
      return depth === 0 ? fc.constant({}) : arbitraryObject(schema.type(), depth - 1);
    case "list": {
      const item = fc.oneof(
        { weight: 6, arbitrary: arbitraryValue(schema.items, depth) },
        { weight: 1, arbitrary: fc.constant(null) },
      );
      return fc.array(item, { maxLength: 3 });
    }
    case "map":
      return fc.dictionary(fc.constantFrom(...texts), arbitraryValue(schema.values, depth), {
        maxKeys: 3,
      });
  }
}

const scalars: Readonly<Record<ScalarName, fc.Arbitrary<JsonValue>>> = {
  string: fc.constantFrom(...texts),
  bool: fc.boolean(),
  int32: fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer()),
  int64: fc.oneof(fc.integer({ min: -2, max: 70_000 }), fc.maxSafeInteger()),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }),
  bytes: fc.constantFrom("", "AA==", "e30=", "eyJh", "W10="),
  time: fc.constant("2026-01-02T03:04:05Z"),
  microTime: fc.constant("2026-01-02T03:04:05.000001Z"),
  quantity: fc.constantFrom("0", "1", "100m", "-1", "1.5Gi", "1n", "2Mi", "3e6", "12E"),
  intOrString: fc.constantFrom<JsonValue>(0, 80, -1, 99_999, "", "http", "25%", "-"),
  json: fc.constantFrom<JsonValue>({}, [], null, "x"),
};

function arbitraryScalar({ scalar, values = [] }: ScalarSchema): fc.Arbitrary<JsonValue> {
  if (values.length === 0) return scalars[scalar];
  return fc.oneof(scalars[scalar], fc.constantFrom(...values));
}
