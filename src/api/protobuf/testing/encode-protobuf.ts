// Writes an object as a Go client does, for tests: fields by number, zero values of everything that is no pointer
// included, keys of maps sorted. The object must be in the form that decoding gives.

import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import type { FieldSchema, ScalarName, TypeSchema, ValueSchema } from "../../schema/schema.ts";
import { type MessagePlan, messagePlan } from "../message-plan.ts";
import { WireWriter } from "../wire-writer.ts";

export function encodeProtobuf(type: TypeSchema, object: JsonObject): Uint8Array {
  const writer = new WireWriter();
  writer.raw(Uint8Array.of(0x6b, 0x38, 0x73, 0x00));
  writer.message(1, (typeMeta) => {
    typeMeta.string(1, textOf(object["apiVersion"]));
    typeMeta.string(2, textOf(object["kind"]));
  });
  writer.message(2, (raw) => writeObject(type, object, raw));
  writer.string(3, "");
  writer.string(4, "");
  return writer.finish();
}

function writeObject(type: TypeSchema, object: JsonObject, writer: WireWriter): void {
  writePlan(messagePlan(type), object, writer);
}

function writePlan(plan: MessagePlan, object: JsonObject, writer: WireWriter): void {
  for (const number of [...plan.keys()].sort((a, b) => a - b)) {
    const entry = plan.get(number);
    if (entry === undefined) continue;
    if ("inlined" in entry) {
      writer.message(number, (inner) => writePlan(entry.inlined, object, inner));
    } else {
      writeField(entry.field, object[entry.field.name], writer);
    }
  }
}

function writeField(field: FieldSchema, value: JsonValue | undefined, writer: WireWriter): void {
  const { number, value: schema } = field;
  if (schema.is === "list") {
    for (const item of Array.isArray(value) ? value : [])
      writeValue(schema.items, { number, value: item, writer });
  } else if (schema.is === "map") {
    for (const [key, inner] of Object.entries(isJsonObject(value) ? value : {})) {
      writer.message(number, (entry) => {
        entry.string(1, key);
        writeValue(schema.values, { number: 2, value: inner ?? null, writer: entry });
      });
    }
  } else if (value != null || field.pointer !== true) {
    writeValue(schema, { number, value: value ?? null, writer });
  }
}

interface Slot {
  readonly number: number;
  /** Null for the zero value. */
  readonly value: JsonValue;
  readonly writer: WireWriter;
}

function writeValue(schema: ValueSchema, { number, value, writer }: Slot): void {
  switch (schema.is) {
    case "scalar":
      scalars[schema.scalar]({ number, value, writer });
      break;
    case "object":
      writer.message(number, (inner) =>
        writeObject(schema.type(), isJsonObject(value) ? value : {}, inner),
      );
      break;
    case "list":
      writer.message(number, (inner) => {
        for (const item of Array.isArray(value) ? value : []) {
          writeValue(schema.items, { number: 1, value: item, writer: inner });
        }
      });
      break;
    case "map":
      throw new Error("protobuf has no maps within maps or lists");
  }
}

const scalars: Readonly<Record<ScalarName, (slot: Slot) => void>> = {
  string: ({ number, value, writer }) => writer.string(number, textOf(value)),
  bool: ({ number, value, writer }) => writeVarint(writer, number, value === true ? 1 : 0),
  int32: ({ number, value, writer }) => writeVarint(writer, number, numberOf(value)),
  int64: ({ number, value, writer }) => writeVarint(writer, number, numberOf(value)),
  double: ({ number, value, writer }) => {
    writer.tag(number, 1);
    writer.double(numberOf(value));
  },
  bytes: ({ number, value, writer }) => {
    writer.tag(number, 2);
    writer.bytes(Uint8Array.from(atob(textOf(value)), (character) => character.charCodeAt(0)));
  },
  time: writeTime,
  microTime: writeTime,
  quantity: ({ number, value, writer }) => {
    writer.message(number, (inner) => inner.string(1, value === null ? "0" : textOf(value)));
  },
  intOrString: ({ number, value, writer }) => {
    writer.message(number, (inner) => {
      writeVarint(inner, 1, typeof value === "string" ? 1 : 0);
      writeVarint(inner, 2, numberOf(value));
      inner.string(3, textOf(value));
    });
  },
  json: ({ number, value, writer }) => {
    writer.message(number, (inner) => {
      if (value !== null) inner.string(1, JSON.stringify(value));
    });
  },
};

function writeTime({ number, value, writer }: Slot): void {
  writer.message(number, (inner) => {
    if (typeof value !== "string") return;
    const fraction = /\.(\d+)Z$/.exec(value)?.[1] ?? "";
    writeVarint(inner, 1, Math.floor(Date.parse(value) / 1000));
    writeVarint(inner, 2, Number(fraction.padEnd(9, "0")));
  });
}

function writeVarint(writer: WireWriter, number: number, value: number): void {
  writer.tag(number, 0);
  writer.varint(value);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: JsonValue): number {
  return typeof value === "number" ? value : 0;
}
