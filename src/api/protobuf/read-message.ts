// Reads a protobuf message by the table of its type. Lists and maps grow with every occurrence of their number; of
// anything else the last occurrence counts. Numbers that the table does not know are passed over.

import { DecodeError } from "../decode-error.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { assemble, kept, layoutOf, setOwn, sortedKeys, zeroOf } from "../object-form.ts";
import type { FieldSchema, ScalarName, TypeSchema, ValueSchema } from "../schema/schema.ts";
import { encodeBase64 } from "./base64.ts";
import { type MessagePlan, messagePlan } from "./message-plan.ts";
import { readIntOrString, readQuantity, readRawJson, readTime } from "./special-messages.ts";
import type { WireReader } from "./wire-reader.ts";

/** Deeper than any kind. Should a table refer to itself, a stranger must not choose the depth of our stack. */
const maxDepth = 100;

const varint = 0;
const eightBytes = 1;
const delimited = 2;

interface ScalarReader {
  readonly wireType: number;
  readonly read: (message: WireReader) => JsonValue;
}

const scalars: Readonly<Record<ScalarName, ScalarReader>> = {
  string: { wireType: delimited, read: (message) => message.string() },
  bool: { wireType: varint, read: (message) => message.bool() },
  int32: { wireType: varint, read: (message) => message.int32() },
  int64: { wireType: varint, read: (message) => message.int64() },
  double: { wireType: eightBytes, read: (message) => message.double() },
  bytes: { wireType: delimited, read: (message) => encodeBase64(message.bytes()) },
  time: { wireType: delimited, read: (message) => readTime(message.message(), "time") },
  microTime: { wireType: delimited, read: (message) => readTime(message.message(), "microTime") },
  quantity: { wireType: delimited, read: (message) => readQuantity(message.message()) },
  intOrString: { wireType: delimited, read: (message) => readIntOrString(message.message()) },
  json: { wireType: delimited, read: (message) => readRawJson(message.message()) },
};

/** A value that comes next in a message. */
interface Source {
  readonly message: WireReader;
  readonly wireType: number;
  /** For messages of errors. */
  readonly name: string;
  readonly depth: number;
}

/** `typeMeta` are fields that stand outside the message: kind and apiVersion. */
export function readMessage(
  type: TypeSchema,
  message: WireReader,
  typeMeta: Readonly<Record<string, string>> = {},
): JsonObject {
  return readObject(type, { message, depth: 0, typeMeta });
}

function readObject(
  type: TypeSchema,
  options: {
    readonly message: WireReader;
    readonly depth: number;
    readonly typeMeta?: Readonly<Record<string, string>>;
  },
): JsonObject {
  const { message, depth, typeMeta = {} } = options;
  if (depth > maxDepth) throw new DecodeError("proto: exceeded max depth");
  const { fields, positions } = layoutOf(type);
  const found = new Array<JsonValue | undefined>(fields.length);
  readFields(messagePlan(type), { message, depth, found });
  for (let i = 0; i < fields.length; i++) {
    const value = found[i];
    const field = fields[i];
    if (value != null && field !== undefined) found[i] = kept(field, sorted(field, value));
  }
  for (const [name, text] of Object.entries(typeMeta)) {
    const position = positions.get(name);
    if (position !== undefined && text !== "") found[position] = text;
  }
  return assemble(fields, found);
}

interface Target {
  readonly message: WireReader;
  readonly depth: number;
  /** By position in the layout of the type. */
  readonly found: (JsonValue | undefined)[];
}

function readFields(plan: MessagePlan, target: Target): void {
  const { message, depth, found } = target;
  while (!message.done) {
    const tag = message.tag();
    const entry = plan.get(tag >>> 3);
    const wireType = tag & 7;
    if (entry === undefined) {
      message.skip(tag);
    } else if ("inlined" in entry) {
      const inner = nested({ message, wireType, name: "inline", depth });
      readFields(entry.inlined, { message: inner, depth, found });
    } else {
      const { field, position } = entry;
      const source: Source = { message, wireType, name: field.name, depth };
      found[position] = readField(field, source, found[position]);
    }
  }
}

function readField(
  field: FieldSchema,
  source: Source,
  before: JsonValue | undefined,
): JsonValue | undefined {
  const { value } = field;
  if (value.is === "list") {
    const list = (before as JsonValue[] | undefined) ?? [];
    readItems(value.items, source, list);
    return list;
  }
  if (value.is === "map") {
    const map = (before as JsonObject | undefined) ?? {};
    readEntry(value.values, source, map);
    return map;
  }
  return readValue(value, source);
}

/** One item, or several numbers packed into one field. */
function readItems(items: ValueSchema, source: Source, list: JsonValue[]): void {
  const single = items.is === "scalar" ? scalars[items.scalar].wireType : delimited;
  if (single === delimited || source.wireType === single) {
    list.push(readValue(items, source));
    return;
  }
  const packed = nested(source);
  while (!packed.done)
    list.push(readValue(items, { ...source, message: packed, wireType: single }));
}

function readEntry(values: ValueSchema, source: Source, map: JsonObject): void {
  const message = nested(source);
  let key = "";
  let value: JsonValue | undefined;
  while (!message.done) {
    const tag = message.tag();
    const inner: Source = { ...source, message, wireType: tag & 7 };
    if (tag >>> 3 === 1) key = readText(inner);
    else if (tag >>> 3 === 2) value = readValue(values, inner);
    else message.skip(tag);
  }
  setOwn(map, key, value ?? zeroOf({ value: values }));
}

function readValue(schema: ValueSchema, source: Source): JsonValue {
  switch (schema.is) {
    case "scalar":
      return readScalar(schema.scalar, source);
    case "object":
      return readObject(schema.type(), { message: nested(source), depth: source.depth + 1 });
    case "list":
      return readWrappedList(schema.items, source);
    case "map":
      throw new DecodeError(`proto: a map cannot be the value of ${source.name}`);
  }
}

/** A list within a map or list is a message whose first field is the list. */
function readWrappedList(items: ValueSchema, source: Source): JsonValue[] {
  const message = nested(source);
  const list: JsonValue[] = [];
  while (!message.done) {
    const tag = message.tag();
    if (tag >>> 3 === 1) readItems(items, { ...source, message, wireType: tag & 7 }, list);
    else message.skip(tag);
  }
  return list;
}

function readScalar(scalar: ScalarName, source: Source): JsonValue {
  const { wireType, read } = scalars[scalar];
  if (source.wireType !== wireType) throw wrongWireType(source);
  return read(source.message);
}

function readText(source: Source): string {
  if (source.wireType !== delimited) throw wrongWireType(source);
  return source.message.string();
}

function nested(source: Source): WireReader {
  if (source.wireType !== delimited) throw wrongWireType(source);
  return source.message.message();
}

function wrongWireType({ wireType, name }: Source): DecodeError {
  const goName = name.charAt(0).toUpperCase() + name.slice(1);
  return new DecodeError(`proto: wrong wireType = ${wireType} for field ${goName}`);
}

function sorted(field: FieldSchema, value: JsonValue): JsonValue {
  if (field.value.is !== "map") return value;
  const map = value as JsonObject;
  const result: JsonObject = {};
  for (const key of sortedKeys(map)) setOwn(result, key, map[key] ?? null);
  return result;
}
