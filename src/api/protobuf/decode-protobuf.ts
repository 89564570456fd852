// Objects as Go clients send them: four magic bytes, an envelope that names the kind, and a message that the table of
// the kind explains. What comes out is the same as from the object's JSON.

import { DecodeError } from "../decode-error.ts";
import type { JsonObject } from "../json.ts";
import { deleteOptions } from "../schema/options.ts";
import type { TypeSchema } from "../schema/schema.ts";
import { goQuote } from "../validation/go-text.ts";
import { readMessage } from "./read-message.ts";
import { WireReader } from "./wire-reader.ts";

/** `k8s` and a zero byte. */
const magic: readonly number[] = [0x6b, 0x38, 0x73, 0x00];

export interface DecodedProtobuf {
  /** As the envelope says; empty if it does not. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: JsonObject;
}

/** Whether the bytes start as an object in protobuf does. */
export function isProtobuf(bytes: Uint8Array): boolean {
  return bytes.length >= magic.length && magic.every((byte, i) => bytes[i] === byte);
}

/**
 * Throws a DecodeError for anything that is not an object of a known type. `typeOf` is asked with empty strings if
 * the envelope does not name the kind.
 */
export function decodeProtobuf(
  bytes: Uint8Array,
  typeOf: (apiVersion: string, kind: string) => TypeSchema | undefined,
): DecodedProtobuf {
  const { apiVersion, kind, raw } = readEnvelope(bytes);
  // Clients send these in the name of the group that they talk to, whether it has them or not.
  const type = kind === "DeleteOptions" ? deleteOptions : typeOf(apiVersion, kind);
  if (type === undefined) {
    throw new DecodeError(
      `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)}`,
    );
  }
  const object = readMessage(type, raw, { apiVersion, kind });
  return { apiVersion, kind, object };
}

function readEnvelope(bytes: Uint8Array): {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: WireReader;
} {
  if (!isProtobuf(bytes)) {
    throw new DecodeError(
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    );
  }
  const envelope = new WireReader(bytes, magic.length);
  let apiVersion = "";
  let kind = "";
  let raw = new WireReader(new Uint8Array());
  while (!envelope.done) {
    const tag = envelope.tag();
    if (tag === 0x0a) ({ apiVersion, kind } = readTypeMeta(envelope.message()));
    else if (tag === 0x12) raw = envelope.message();
    else if (tag === 0x1a && envelope.string() !== "") {
      throw new DecodeError("proto: encoded content is not supported");
    } else if (tag !== 0x1a) envelope.skip(tag);
  }
  return { apiVersion, kind, raw };
}

function readTypeMeta(message: WireReader): { readonly apiVersion: string; readonly kind: string } {
  let apiVersion = "";
  let kind = "";
  while (!message.done) {
    const tag = message.tag();
    if (tag === 0x0a) apiVersion = message.string();
    else if (tag === 0x12) kind = message.string();
    else message.skip(tag);
  }
  return { apiVersion, kind };
}
