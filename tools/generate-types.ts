// Writes src/api/types.ts from the schema tables, so that code that handles a kind is checked against the same words
// as its clients. `--check` only says whether the file is up to date.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { standaloneTypes } from "../src/api/kinds.ts";
import { reachableTypes } from "../src/api/schema/reachable.ts";
import type {
  FieldSchema,
  ScalarSchema,
  TypeSchema,
  ValueSchema,
} from "../src/api/schema/schema.ts";

const target: string = join(import.meta.dirname, "../src/api/types.ts");

/** The formatter's, whose layout the text must have. */
const maxLineLength = 100;

const head = `// Generated from the tables in src/api/schema by tools/generate-types.ts; \`npm run generate\` writes it anew.
// Aliases, not interfaces, so that every one of them is also a JsonObject. They describe decoded objects: what is
// always written is always there, a list or map may be null, and everything else may be missing.

import type { JsonValue } from "./json.ts";
`;

/** The text of src/api/types.ts: one type per table, sorted by name. */
export function generateTypes(roots: Iterable<TypeSchema>): string {
  const types = reachableTypes(roots);
  const names = namesOf(types);
  const nameOf = (type: TypeSchema): string => names.get(type) ?? "never";
  const blocks = types
    .map((type) => ({ name: nameOf(type), text: aliasOf(type, nameOf) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return `${head}\n${blocks.map((block) => block.text).join("\n")}`;
}

/** The last word of the full name. Where that is taken, group and version go before: `EventsV1Event`. */
function namesOf(types: readonly TypeSchema[]): ReadonlyMap<TypeSchema, string> {
  const names = new Map<TypeSchema, string>();
  const taken = new Set<string>();
  const inOrder = types.toSorted((a, b) => Number(isCore(b)) - Number(isCore(a)));
  for (const type of inOrder) {
    const [group = "", version = "", kind = ""] = type.name.split(".").slice(-3);
    const name = taken.has(kind) ? `${capitalised(group)}${capitalised(version)}${kind}` : kind;
    if (taken.has(name)) throw new Error(`Cannot name the type of ${type.name}: ${name} is taken`);
    taken.add(name);
    names.set(type, name);
  }
  return names;
}

function isCore(type: TypeSchema): boolean {
  return type.name.startsWith("io.k8s.api.core.");
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

type NameOf = (type: TypeSchema) => string;

function aliasOf(type: TypeSchema, nameOf: NameOf): string {
  const fields = [...type.fields.values()].map((field) => propertyOf(field, nameOf));
  const start = `/** ${type.about} */\nexport type ${nameOf(type)} = `;
  return fields.length === 0
    ? `${start}Record<string, never>;\n`
    : `${start}{\n${fields.join("")}};\n`;
}

function propertyOf(field: FieldSchema, nameOf: NameOf): string {
  const nullable = field.alwaysEmit === true && isNullWhenAbsent(field);
  const optional = field.alwaysEmit !== true || nullable;
  // Absent and undefined are the same, so that objects can be made without a branch per field.
  const alternatives = [
    typeTextOf(field.value, nameOf),
    ...(nullable ? ["null"] : []),
    ...(optional ? ["undefined"] : []),
  ];
  const name = `  ${field.name}${optional ? "?" : ""}:`;
  const line = `${name} ${alternatives.join(" | ")};`;
  const fits = line.length <= maxLineLength;
  const text = fits ? line : `${name}\n    | ${alternatives.join("\n    | ")};`;
  return `  /** ${field.about} */\n${text}\n`;
}

function isNullWhenAbsent({ value, pointer }: FieldSchema): boolean {
  switch (value.is) {
    case "list":
    case "map":
      return true;
    case "object":
      return pointer === true;
    case "scalar":
      return pointer === true || ["time", "microTime", "json"].includes(value.scalar);
  }
}

function typeTextOf(value: ValueSchema, nameOf: NameOf): string {
  switch (value.is) {
    case "scalar":
      return scalarTextOf(value);
    case "object":
      return nameOf(value.type());
    case "list": {
      const items = typeTextOf(value.items, nameOf);
      return items.includes(" ") ? `(${items})[]` : `${items}[]`;
    }
    case "map":
      return `{ [key: string]: ${typeTextOf(value.values, nameOf)} }`;
  }
}

function scalarTextOf({ scalar }: ScalarSchema): string {
  switch (scalar) {
    case "string":
    case "bytes":
    case "time":
    case "microTime":
    case "quantity":
      return "string";
    case "bool":
      return "boolean";
    case "int32":
    case "int64":
    case "double":
      return "number";
    case "intOrString":
      return "number | string";
    case "json":
      return "JsonValue";
  }
}

/** Whether the committed file says what the tables say. */
export async function isUpToDate(): Promise<boolean> {
  return (await readFile(target, "utf8")) === generateTypes(standaloneTypes);
}

if (import.meta.main) {
  if (!process.argv.includes("--check")) {
    await writeFile(target, generateTypes(standaloneTypes));
  } else if (!(await isUpToDate())) {
    console.error("src/api/types.ts is not what the tables say: run npm run generate");
    process.exitCode = 1;
  }
}
