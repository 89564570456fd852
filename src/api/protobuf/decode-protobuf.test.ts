import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { decodeObject } from "../decode.ts";
import { DecodeError } from "../decode-error.ts";
import type { JsonObject } from "../json.ts";
import { apiVersionOf } from "../kind.ts";
import { kinds, typeOf } from "../kinds.ts";
import {
  bool,
  double,
  field,
  int32,
  int64,
  listOf,
  ref,
  type TypeSchema,
  type,
} from "../schema/schema.ts";
import { decodeProtobuf, isProtobuf } from "./decode-protobuf.ts";
import { encodeProtobuf } from "./testing/encode-protobuf.ts";
import { sampleObject } from "./testing/sample-object.ts";

/** An object as its kind says; the samples name their kind. */
function normal(object: JsonObject): JsonObject {
  return decodeObject(tableOf(object), object).object;
}

function tableOf(object: JsonObject): TypeSchema {
  const { apiVersion, kind } = object as { readonly apiVersion: string; readonly kind: string };
  const found = typeOf(apiVersion, kind);
  assert(found !== undefined, kind);
  return found;
}

function throughProtobuf(object: JsonObject): JsonObject {
  return decodeProtobuf(encodeProtobuf(tableOf(object), normal(object)), typeOf).object;
}

/** The envelope around a message, by hand; everything is short enough for lengths of one byte. */
function enveloped(message: readonly number[]): Uint8Array {
  const typeMeta = [0x0a, 2, ...bytesOf("v1"), 0x12, 4, ...bytesOf("Test")];
  return Uint8Array.of(
    0x6b,
    0x38,
    0x73,
    0,
    0x0a,
    typeMeta.length,
    ...typeMeta,
    0x12,
    message.length,
    ...message,
  );
}

function bytesOf(text: string): readonly number[] {
  return [...new TextEncoder().encode(text)];
}

function read(table: TypeSchema, message: readonly number[]): JsonObject {
  return decodeProtobuf(enveloped(message), () => table).object;
}

function refusal(table: TypeSchema, message: readonly number[]): string {
  try {
    read(table, message);
  } catch (err) {
    assert(err instanceof DecodeError, String(err));
    return err.message;
  }
  return "";
}

const numbers = type("test.Numbers", "", {
  small: field(1, int32, ""),
  large: field(2, int64, ""),
  many: field(3, listOf(int32), ""),
  yes: field(4, listOf(bool), ""),
  real: field(5, listOf(double), ""),
  inner: field(
    6,
    ref((): TypeSchema => numbers),
    "",
  ),
});

describe("decodeProtobuf", () => {
  it("reads bytes that were put together by hand", () => {
    const metadata = [0x0a, 1, ...bytesOf("a"), 0x12, 0, 0x42, 0];
    const entry = [0x0a, 1, ...bytesOf("k"), 0x12, 1, ...bytesOf("v")];
    const binary = [0x0a, 1, ...bytesOf("b"), 0x12, 2, 0xff, 0x00];
    const message = [
      0x0a,
      metadata.length,
      ...metadata,
      0x12,
      entry.length,
      ...entry,
      0x1a,
      binary.length,
      ...binary,
      0x20,
      0,
    ];
    const configMap = typeOf("v1", "ConfigMap");
    assert(configMap !== undefined);
    assert.equal(
      JSON.stringify(decodeProtobuf(enveloped(message), () => configMap)),
      '{"apiVersion":"v1","kind":"Test","object":{"kind":"Test","apiVersion":"v1","metadata":{"name":"a"},"immutable":false,"data":{"k":"v"},"binaryData":{"b":"/wA="}}}',
    );
  });

  it("gives what the JSON of the same object gives: significant zeros, inlined messages, special values", () => {
    const objects: readonly JsonObject[] = [
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "a", labels: { z: "", y: "1" } },
        data: { e: "" },
        immutable: false,
      },
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "d" },
        spec: { replicas: 0, strategy: { rollingUpdate: { maxSurge: "25%", maxUnavailable: 0 } } },
      },
      {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        spec: { holderIdentity: "", renewTime: "2026-01-02T03:04:05.000006Z" },
      },
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          creationTimestamp: "2026-01-02T03:04:05Z",
          managedFields: [{ manager: "m", fieldsV1: { "f:data": {} } }],
        },
        spec: {
          volumes: [
            { name: "v", emptyDir: {} },
            { name: "w", configMap: { name: "c", defaultMode: 420 } },
          ],
          containers: [
            {
              name: "c",
              env: [
                {
                  name: "E",
                  valueFrom: { configMapKeyRef: { name: "c", key: "k", optional: false } },
                },
              ],
              livenessProbe: { httpGet: { port: "http" }, periodSeconds: 10 },
              resources: { limits: { cpu: "500m" } },
            },
          ],
        },
      },
    ];
    for (const object of objects) assert.deepEqual(throughProtobuf(object), normal(object));
  });

  it("reads every field of every kind as its JSON is read", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.array(fc.nat(10_000), { minLength: 20, maxLength: 60 }),
        (kind, tape) => {
          const object = sampleObject(kind.schema, tape, {
            apiVersion: apiVersionOf(kind),
            kind: kind.kind,
          });
          assert.equal(JSON.stringify(throughProtobuf(object)), JSON.stringify(normal(object)));
        },
      ),
      { numRuns: 400 },
    );
  });

  it("asks for the type with empty names if the envelope has none", () => {
    const asked: string[] = [];
    const { object } = decodeProtobuf(Uint8Array.of(0x6b, 0x38, 0x73, 0), (apiVersion, kind) => {
      asked.push(`${apiVersion}/${kind}`);
      return numbers;
    });
    assert.deepEqual(asked, ["/"]);
    assert.deepEqual(object, {});
  });

  it("reads numbers packed and one by one, negative and large", () => {
    assert.deepEqual(read(numbers, [0x18, 1, 0x18, 2]), { many: [1, 2] });
    assert.deepEqual(read(numbers, [0x1a, 3, 1, 0x80, 1, 0x18, 5]), { many: [1, 128, 5] });
    assert.deepEqual(read(numbers, [0x22, 2, 1, 0]), { yes: [true, false] });
    assert.deepEqual(read(numbers, [0x2a, 8, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f]), { real: [1.5] });
    const minusOne = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
    assert.deepEqual(read(numbers, [0x08, ...minusOne, 0x10, ...minusOne]), {
      small: -1,
      large: -1,
    });
    assert.deepEqual(read(numbers, [0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]), {
      large: Number.MAX_SAFE_INTEGER,
    });
  });

  it("skips fields that it does not know, and lets the last value of a field count", () => {
    const unknown = [0x78, 0x80, 1, 0x79, 1, 2, 3, 4, 5, 6, 7, 8, 0x7a, 1, 9, 0x7d, 1, 2, 3, 4];
    assert.deepEqual(read(numbers, [0x08, 1, ...unknown, 0x08, 2]), { small: 2 });
  });

  it("refuses bytes that are cut off, too long or of the wrong type", () => {
    assert.equal(refusal(numbers, [0x08]), "unexpected EOF");
    assert.equal(refusal(numbers, [0x08, 0x80]), "unexpected EOF");
    assert.equal(refusal(numbers, [0x1a, 0x7f, 1]), "unexpected EOF");
    assert.equal(refusal(numbers, [0x1a, 0xff, 0xff, 0xff, 0xff, 0x0f, 1]), "unexpected EOF");
    assert.equal(
      refusal(numbers, [0x1a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
      "proto: negative length found during unmarshaling",
    );
    assert.equal(
      refusal(numbers, [0x08, ...new Array<number>(11).fill(0x80)]),
      "proto: integer overflow",
    );
    assert.equal(
      refusal(numbers, [0x10, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10]),
      "proto: integer 9007199254740992 is too large",
    );
    assert.equal(refusal(numbers, [0x0a, 0]), "proto: wrong wireType = 2 for field Small");
    assert.equal(refusal(numbers, [0x30, 0]), "proto: wrong wireType = 0 for field Inner");
    assert.equal(refusal(numbers, [0x0b]), "proto: illegal wireType 3");
    assert.equal(refusal(numbers, [0x00, 0]), "proto: illegal tag 0 (wire type 0)");
  });

  it("refuses messages within messages without end", () => {
    let message: number[] = [];
    for (let i = 0; i < 150; i++) {
      const { length } = message;
      const size = length < 0x80 ? [length] : [(length & 0x7f) | 0x80, length >> 7];
      message = [0x32, ...size, ...message];
    }
    const raw = [0x12, (message.length & 0x7f) | 0x80, message.length >> 7, ...message];
    const bytes = Uint8Array.of(0x6b, 0x38, 0x73, 0, ...raw);
    assert.throws(
      () => decodeProtobuf(bytes, () => numbers),
      new DecodeError("proto: exceeded max depth"),
    );
  });

  it("refuses what is not an object in protobuf, or of no known kind", () => {
    assert.throws(() => decodeProtobuf(Buffer.from("{}"), typeOf), DecodeError);
    assert.throws(
      () => decodeProtobuf(enveloped([]), typeOf),
      new DecodeError('no kind "Test" is registered for version "v1"'),
    );
    assert.equal(isProtobuf(Buffer.from("k8s")), false);
    assert.equal(isProtobuf(Buffer.from("k8s\0")), true);
  });

  it("knows DeleteOptions by their kind, whatever group they name", () => {
    const object = {
      apiVersion: "v1",
      kind: "DeleteOptions",
      gracePeriodSeconds: 0,
      preconditions: { uid: "u" },
    };
    const named = { ...normal(object), apiVersion: "example.com/v7" };
    const { object: decoded } = decodeProtobuf(encodeProtobuf(tableOf(object), named), typeOf);
    assert.deepEqual(decoded, named);
  });

  it("answers any damage with an object or a DecodeError, never with anything else", () => {
    const damage = fc.array(fc.record({ at: fc.nat(), byte: fc.nat(255), cut: fc.nat(20) }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.array(fc.nat(10_000), { minLength: 20, maxLength: 40 }),
        damage,
        (kind, tape, places) => {
          const object = sampleObject(kind.schema, tape, {
            apiVersion: apiVersionOf(kind),
            kind: kind.kind,
          });
          let bytes = encodeProtobuf(kind.schema, normal(object));
          for (const { at, byte, cut } of places) {
            bytes[4 + (at % (bytes.length - 4))] = byte;
            if (cut === 0) bytes = bytes.slice(0, 4 + (at % (bytes.length - 4)));
            if (bytes.length <= 4) return;
          }
          try {
            decodeProtobuf(bytes, () => kind.schema);
          } catch (err) {
            assert(err instanceof DecodeError, String(err));
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});
