// The messages of the API that are single values in JSON: times, quantities, int-or-string, and raw JSON.

import { DecodeError } from "../decode-error.ts";
import { canonicalTime, type TimePrecision } from "../decode-time.ts";
import type { JsonValue } from "../json.ts";
import { parseJsonText } from "../json-text.ts";
import { canonicalQuantity, QuantityError } from "../quantity.ts";
import type { WireReader } from "./wire-reader.ts";

/** Seconds of the years 0 to 9999, which is what RFC 3339 can write. */
const firstSecond = -62_167_219_200;
const lastSecond = 253_402_300_799;

/** Field number and wire type in one. */
const varint1 = 0x08;
const varint2 = 0x10;
const bytes1 = 0x0a;
const bytes3 = 0x1a;

/** Null for the empty message, which is the zero time. */
export function readTime(message: WireReader, precision: TimePrecision): string | null {
  if (message.done) return null;
  let seconds = 0;
  let nanos = 0;
  while (!message.done) {
    const tag = message.tag();
    if (tag === varint1) seconds = message.int64();
    else if (tag === varint2) nanos = message.int32();
    else message.skip(tag);
  }
  if (seconds < firstSecond || seconds > lastSecond) {
    throw new DecodeError(`proto: time ${seconds} is out of range`);
  }
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  if (precision === "time") return canonicalTime(`${text}Z`, precision);
  const micros = Math.trunc(Math.max(0, nanos) / 1000) % 1_000_000;
  return canonicalTime(`${text}.${String(micros).padStart(6, "0")}Z`, precision);
}

/** An empty message is the zero quantity. */
export function readQuantity(message: WireReader): string {
  const text = readText(message);
  try {
    return text === "" ? "0" : canonicalQuantity(text.trim());
  } catch (err) {
    if (err instanceof QuantityError) throw new DecodeError(err.message, { cause: err });
    throw err;
  }
}

export function readIntOrString(message: WireReader): string | number {
  let isString = false;
  let int = 0;
  let string = "";
  while (!message.done) {
    const tag = message.tag();
    if (tag === varint1) isString = message.uint32() === 1;
    else if (tag === varint2) int = message.int32();
    else if (tag === bytes3) string = message.string();
    else message.skip(tag);
  }
  return isString ? string : int;
}

/** FieldsV1 and RawExtension carry JSON text. */
export function readRawJson(message: WireReader): JsonValue {
  const text = readText(message);
  return text === "" ? null : parseJsonText(text).value;
}

function readText(message: WireReader): string {
  let text = "";
  while (!message.done) {
    const tag = message.tag();
    if (tag === bytes1) text = message.string();
    else message.skip(tag);
  }
  return text;
}
