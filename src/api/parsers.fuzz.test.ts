// The readers of texts and bytes: whatever comes, an answer or the error that they promise.

import { describe, it } from "node:test";
import fc from "fast-check";
import { decodeObject } from "./decode.ts";
import { canonicalBase64 } from "./decode-base64.ts";
import { DecodeError } from "./decode-error.ts";
import { canonicalTime } from "./decode-time.ts";
import type { JsonValue } from "./json.ts";
import { parseJsonText } from "./json-text.ts";
import { apiVersionOf } from "./kind.ts";
import { kinds, typeOf } from "./kinds.ts";
import { decodeProtobuf } from "./protobuf/decode-protobuf.ts";
import { encodeProtobuf } from "./protobuf/testing/encode-protobuf.ts";
import { sampleObject } from "./protobuf/testing/sample-object.ts";
import { parseQuantity, QuantityError } from "./quantity.ts";
import { annoyingJson, damagedBytes, damagedJson, damagedText, fuzz } from "./testing/fuzz.ts";
import { parseYamlText } from "./yaml-text.ts";

const throws = [DecodeError];

describe("a damaged text", () => {
  it("of JSON is read or refused", () => {
    const input = damagedText(
      '{"metadata":{"name":"a","labels":{"b":"c"}},"data":{"d":"\\u00e9\\n","e":"\\ud83d\\ude00"}}',
      '[1, -2.5e3, true, null, {"a": [], "a": {}}, "\\"\\\\"]',
    );
    fuzz({ input, throws, run: (text) => parseJsonText(text) });
  });

  it("of YAML is read or refused", () => {
    const input = damagedText(
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  b: |\n    c\n    d\n  e: 'f'\n",
      "a: &x [1, 0x1f, .5, ~, yes]\nb: *x\nc:\n  <<: {d: e}\n  ? f\n  : !!str 1\n",
      '{"a": "b", c: [d, {e: "\\n"}], ? f : g}',
      '- >-\n  a\n\n  b\n- "c\\x41"\n-\n  - d\n# e\n...\n---\n',
    );
    fuzz({ input, throws, run: (text) => parseYamlText(text) });
  });

  it("of a quantity is read or refused", () => {
    const input = damagedText(
      "1",
      "-1.5Gi",
      "100m",
      "1e-9",
      "12345678901234567890k",
      ".5Ki",
      "0x1",
    );
    const run = (text: string): unknown => {
      const quantity = parseQuantity(text);
      return [quantity.canonical(), quantity.value(), quantity.milliValue()];
    };
    fuzz({ input, throws: [QuantityError], run });
  });

  it("of a time is read or refused", () => {
    const input = damagedText("2024-02-29T23:59:60Z", "2024-01-01T00:00:00.123456+01:00");
    fuzz({
      input,
      throws,
      run: (text) => [canonicalTime(text, "time"), canonicalTime(text, "microTime")],
    });
  });

  it("of base64 is read or refused", () => {
    fuzz({ input: damagedText("aGVsbG8=", "AA==\n", "____"), throws, run: canonicalBase64 });
  });
});

const anyKind = fc.constantFrom(...kinds);
const numbers = fc.array(fc.nat(), { minLength: 1, maxLength: 200 });

describe("a damaged object", () => {
  it("of any kind is decoded or refused", () => {
    const input = anyKind.chain((kind) => {
      const sample = numbers.map(
        (list): JsonValue =>
          sampleObject(kind.schema, list, { apiVersion: apiVersionOf(kind), kind: kind.kind }),
      );
      return fc.tuple(fc.constant(kind), fc.oneof(damagedJson(sample), annoyingJson));
    });
    fuzz({ input, throws, run: ([kind, value]) => decodeObject(kind.schema, value) });
  });

  it("in protobuf is decoded or refused", () => {
    const valid = fc.tuple(anyKind, numbers).map(([kind, list]) => {
      const typeMeta = { apiVersion: apiVersionOf(kind), kind: kind.kind };
      return encodeProtobuf(kind.schema, sampleObject(kind.schema, list, typeMeta));
    });
    fuzz({ input: damagedBytes(valid), throws, run: (bytes) => decodeProtobuf(bytes, typeOf) });
  });

  it("that is any bytes behind the magic ones is decoded or refused", () => {
    const input = fc
      .uint8Array({ maxLength: 200 })
      .map((bytes) => Uint8Array.from([0x6b, 0x38, 0x73, 0, ...bytes]));
    fuzz({ input, throws, run: (bytes) => decodeProtobuf(bytes, typeOf) });
  });
});
