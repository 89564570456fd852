// The keys of a ConfigMap or Secret, whichever field they are in, as bytes; and the patch that makes them others.

import { isUtf8 } from "node:buffer";
import type { JsonObject } from "../api/json.ts";
import type { ApiObject } from "../api/object.ts";
import type { KeyChange } from "./key-changes.ts";

type Kind = "ConfigMap" | "Secret";
type Values = Readonly<Record<string, string>>;

export interface KeyDifference {
  readonly key: string;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
}

/** Those that would be others; none if all is as wanted. */
export function keyDifferences(
  object: ApiObject,
  kind: Kind,
  changes: readonly KeyChange[],
): readonly KeyDifference[] {
  return changes
    .map(({ key, value }) => ({ key, before: bytesOf(object, kind, key), after: value }))
    .filter(({ before, after }) => !isSame(before, after));
}

/** A merge patch. Empty for a new object's fields that have nothing in them. */
export function keyPatch(
  object: ApiObject,
  kind: Kind,
  differences: readonly KeyDifference[],
): JsonObject {
  const data: JsonObject = {};
  const binaryData: JsonObject = {};
  for (const { key, after } of differences) {
    if (kind === "Secret") data[key] = after === undefined ? null : base64(after);
    else if (after === undefined) {
      (Object.hasOwn(fieldOf(object, "data"), key) ? data : binaryData)[key] = null;
    } else {
      const isText = isUtf8(after);
      const [to, from] = isText ? [data, binaryData] : [binaryData, data];
      to[key] = isText ? Buffer.from(after).toString("utf8") : base64(after);
      // A key is in one of the two.
      if (Object.hasOwn(fieldOf(object, isText ? "binaryData" : "data"), key)) from[key] = null;
    }
  }
  return {
    ...(Object.keys(data).length > 0 && { data }),
    ...(Object.keys(binaryData).length > 0 && { binaryData }),
  };
}

function bytesOf(object: ApiObject, kind: Kind, key: string): Uint8Array | undefined {
  const data = fieldOf(object, "data");
  const encoded = kind === "Secret" ? data : fieldOf(object, "binaryData");
  if (kind === "ConfigMap" && Object.hasOwn(data, key)) return Buffer.from(data[key] ?? "");
  return Object.hasOwn(encoded, key) ? Buffer.from(encoded[key] ?? "", "base64") : undefined;
}

function fieldOf(object: ApiObject, field: "data" | "binaryData"): Values {
  return (object[field] ?? {}) as Values;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return Buffer.compare(one, other) === 0;
}
