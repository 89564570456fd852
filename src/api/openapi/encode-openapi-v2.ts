// The document of /openapi/v2 as the protobuf message openapi.v2.Document of gnostic: kubectl reads nothing else there.
// Field numbers are those of gnostic's OpenAPIv2.proto; words starting with "x-" travel as text in YAML, for which
// JSON will do.

import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { WireWriter } from "../protobuf/wire-writer.ts";

/** Writes the value of one word of the document as the field with that number. */
type FieldWriter = (writer: WireWriter, number: number, value: JsonValue) => void;
/** Which field a word is, and how its value is written. */
type MessageShape = ReadonlyMap<string, readonly [number: number, write: FieldWriter]>;

/** Knows the words that `openApiV2` uses; others are left out. */
export function encodeOpenApiV2(document: JsonObject): Uint8Array {
  const writer = new WireWriter();
  writeShape(documentShape(), writer, document);
  return writer.finish();
}

const text: FieldWriter = (writer, number, value) => {
  if (typeof value === "string" && value !== "") writer.string(number, value);
};

const flag: FieldWriter = (writer, number, value) => {
  if (value !== true) return;
  writer.tag(number, 0);
  writer.varint(1);
};

const texts: FieldWriter = (writer, number, value) => {
  for (const item of listOf(value)) if (typeof item === "string") writer.string(number, item);
};

/** Any value, as YAML. */
const any: FieldWriter = (writer, number, value) => {
  writer.message(number, (inner) => inner.string(2, `${JSON.stringify(value)}\n`));
};

const anys: FieldWriter = (writer, number, value) => {
  for (const item of listOf(value)) any(writer, number, item);
};

/** A message that only holds another one. */
function wrapped(write: FieldWriter, inNumber = 1): FieldWriter {
  return (writer, number, value) =>
    writer.message(number, (inner) => write(inner, inNumber, value));
}

function each(write: FieldWriter): FieldWriter {
  return (writer, number, value) => {
    for (const item of listOf(value)) write(writer, number, item);
  };
}

/** Entries of an object as messages of a name and a value. */
function named(write: FieldWriter): FieldWriter {
  return (writer, number, value) => {
    for (const [name, item] of Object.entries(isJsonObject(value) ? value : {})) {
      if (item === undefined) continue;
      writer.message(number, (entry) => {
        entry.string(1, name);
        write(entry, 2, item);
      });
    }
  };
}

/** The shape is asked for when needed: schemas contain schemas. */
function message(shape: () => MessageShape, extensions?: number): FieldWriter {
  return (writer, number, value) => {
    if (!isJsonObject(value)) return;
    writer.message(number, (inner) => writeShape(shape(), inner, value, extensions));
  };
}

function writeShape(
  shape: MessageShape,
  writer: WireWriter,
  value: JsonObject,
  extensions?: number,
): void {
  for (const [word, [number, write]] of shape) {
    const inner = value[word];
    if (inner !== undefined) write(writer, number, inner);
  }
  if (extensions === undefined) return;
  for (const word in value) {
    if (word.startsWith("x-")) named(any)(writer, extensions, { [word]: value[word] ?? null });
  }
}

const schema: FieldWriter = message(() => schemaShape, 31);
/** A type is a list of one, so are the items of an array, and additional properties are a schema or a flag. */
const schemaShape: MessageShape = new Map([
  ["$ref", [1, text]],
  ["format", [2, text]],
  ["description", [4, text]],
  ["default", [5, any]],
  ["required", [19, texts]],
  ["enum", [20, anys]],
  ["additionalProperties", [21, wrapped(schema)]],
  ["type", [22, wrapped(text)]],
  ["items", [23, wrapped(schema)]],
  ["allOf", [24, each(schema)]],
  ["properties", [25, wrapped(named(schema))]],
]);

const bodyParameter: MessageShape = new Map([
  ["description", [1, text]],
  ["name", [2, text]],
  ["in", [3, text]],
  ["required", [4, flag]],
  ["schema", [5, schema]],
]);

const queryParameter: MessageShape = new Map([
  ["required", [1, flag]],
  ["in", [2, text]],
  ["description", [3, text]],
  ["name", [4, text]],
  ["type", [6, text]],
  ["format", [7, text]],
  ["uniqueItems", [20, flag]],
]);

const pathParameter: MessageShape = new Map([
  ["required", [1, flag]],
  ["in", [2, text]],
  ["description", [3, text]],
  ["name", [4, text]],
  ["type", [5, text]],
  ["format", [6, text]],
  ["uniqueItems", [19, flag]],
]);

/** ParametersItem holds a Parameter, which holds one with or without a body, which holds one for its place. */
const parameter: FieldWriter = (writer, number, value) => {
  if (!isJsonObject(value)) return;
  const place = value["in"];
  const body = message(() => bodyParameter);
  const inQuery = wrapped(
    message(() => queryParameter),
    3,
  );
  const inPath = wrapped(
    message(() => pathParameter),
    4,
  );
  const write = place === "body" ? wrapped(body) : wrapped(place === "path" ? inPath : inQuery, 2);
  wrapped(write)(writer, number, value);
};

const response: MessageShape = new Map([
  ["description", [1, text]],
  ["schema", [2, wrapped(schema)]],
]);

const operationShape: MessageShape = new Map([
  ["tags", [1, texts]],
  ["description", [3, text]],
  ["operationId", [5, text]],
  ["produces", [6, texts]],
  ["consumes", [7, texts]],
  ["parameters", [8, each(parameter)]],
  ["responses", [9, wrapped(named(wrapped(message(() => response))))]],
  ["schemes", [10, texts]],
]);
const operation: FieldWriter = message(() => operationShape, 13);

const pathItem: MessageShape = new Map([
  ["get", [2, operation]],
  ["put", [3, operation]],
  ["post", [4, operation]],
  ["delete", [5, operation]],
  ["patch", [8, operation]],
  ["parameters", [9, each(parameter)]],
]);

const info: MessageShape = new Map([
  ["title", [1, text]],
  ["version", [2, text]],
]);

const apiKey: MessageShape = new Map([
  ["type", [1, text]],
  ["name", [2, text]],
  ["in", [3, text]],
]);

function documentShape(): MessageShape {
  return new Map<string, readonly [number, FieldWriter]>([
    ["swagger", [1, text]],
    ["info", [2, message(() => info)]],
    ["paths", [8, wrapped(named(message(() => pathItem)), 2)]],
    ["definitions", [9, wrapped(named(schema))]],
    ["security", [12, each(wrapped(named(wrapped(texts))))]],
    [
      "securityDefinitions",
      [
        13,
        wrapped(
          named(
            wrapped(
              message(() => apiKey),
              2,
            ),
          ),
        ),
      ],
    ],
  ]);
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
