// Server-side apply of nonsense, on objects whose record of owners is nonsense too.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { decodeObject } from "../decode.ts";
import { DecodeError } from "../decode-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { ApiObject } from "../object.ts";
import { deployment } from "../schema/apps/deployment.ts";
import { StatusError } from "../status-error.ts";
import { annoyingJson, annoyingText, damagedJson, fuzz } from "../testing/fuzz.ts";
import { applyObject } from "./field-manager.ts";
import { nothingReset } from "./ignored-fields.ts";
import { decodeFieldsV1 } from "./managed-fields.ts";

const element = fc.oneof(
  annoyingText.map((text) => `f:${text}`),
  annoyingText.map((text) => `k:${JSON.stringify({ name: text })}`),
  annoyingText.map((text) => `v:${JSON.stringify(text)}`),
  fc.constantFrom(
    ".",
    "k:{",
    "i:x",
    `i:${"9".repeat(400)}`,
    "v:",
    "k:[]",
    'k:{"__proto__":1}',
    "f:spec",
    "f:metadata",
    "f:labels",
  ),
  annoyingText,
);
const fieldSet: fc.Arbitrary<JsonValue> = fc.letrec<{ set: JsonValue }>((tie) => ({
  set: fc.oneof(
    { maxDepth: 6, depthIdentifier: "set" },
    fc.constant({}),
    fc
      .array(fc.tuple(element, tie("set")), { maxLength: 4, depthIdentifier: "set" })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).set;

const wanted = fc.constant<JsonValue>({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d", labels: { a: "b" } },
  spec: { template: { spec: { containers: [{ name: "a", image: "i", args: ["x"] }] } } },
});

function liveWith(fieldsV1: JsonValue): ApiObject {
  const entry = {
    manager: "other",
    operation: "Apply",
    apiVersion: "apps/v1",
    fieldsType: "FieldsV1",
    fieldsV1,
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d", labels: { a: "c" }, managedFields: [entry] },
    spec: { template: { spec: { containers: [{ name: "a", image: "j" }, { name: "b" }] } } },
  } as unknown as ApiObject;
}

function decode(value: JsonObject): ApiObject {
  const { object } = decodeObject(deployment, value);
  const { metadata, ...rest } = object;
  return { ...rest, metadata: isJsonObject(metadata) ? metadata : {} } as ApiObject;
}

describe("what is applied without sense", () => {
  it("is merged or refused, whoever owns what", () => {
    const applied = fc
      .oneof(damagedJson(wanted), annoyingJson)
      .filter((value) => isJsonObject(value));
    const input = fc.record({
      applied,
      fields: fieldSet,
      force: fc.boolean(),
      isNew: fc.boolean(),
    });
    fuzz({
      input,
      throws: [StatusError, DecodeError],
      run: ({ applied: value, fields, force, isNew }) =>
        applyObject({
          type: deployment,
          kind: "Deployment",
          live: isNew ? undefined : liveWith(fields),
          applied: value as JsonObject,
          manager: "m",
          apiVersion: "apps/v1",
          subresource: "",
          force,
          now: "2024-01-01T00:00:00Z",
          ignored: nothingReset,
          decode,
        }),
    });
  });

  it("as a record of owners is refused, or read as it will be read again", () => {
    const run = (value: JsonValue): void => {
      const set = decodeFieldsV1(value);
      if (set !== undefined) assert.deepEqual(decodeFieldsV1(set as JsonValue), set);
    };
    fuzz({ input: fc.oneof(fieldSet, annoyingJson), throws: [], run });
  });
});
