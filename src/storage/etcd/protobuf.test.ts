import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ProtoReader, ProtoWriter } from "./protobuf.ts";

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

describe("the protobuf wire format", () => {
  it("is that of the documentation's examples", () => {
    assert.equal(new ProtoWriter().varint(1, 150).finish().toString("hex"), "089601");
    const text = new ProtoWriter().text(2, "testing").finish();
    assert.equal(text.toString("hex"), "120774657374696e67");
    const nested = new ProtoWriter().message(3, new ProtoWriter().varint(1, 150)).finish();
    assert.equal(nested.toString("hex"), "1a03089601");
    const negative = new ProtoWriter().varint(1, -2n).finish();
    assert.equal(negative.toString("hex"), "08feffffffffffffffff01");
  });

  it("gives back every 64-bit number, text and byte", () => {
    fc.assert(
      fc.property(
        int64,
        fc.string({ unit: "grapheme" }),
        fc.uint8Array(),
        fc.integer({ min: 1, max: 5000 }),
        (number, text, bytes, field) => {
          const nested = new ProtoWriter().varint(field, number).bytes(field + 1, bytes);
          const message = new ProtoWriter().text(7, text).message(8, nested).finish();

          const reader = new ProtoReader(message);
          assert.equal(reader.next(), 7);
          assert.equal(reader.text(), text);
          assert.equal(reader.next(), 8);
          const inner = reader.message();
          assert.equal(inner.next(), field);
          assert.equal(inner.bigint(), number);
          assert.equal(inner.next(), field + 1);
          assert.deepEqual(inner.bytes(), bytes);
          assert.equal(inner.next(), 0);
          assert.equal(reader.next(), 0);
        },
      ),
    );
  });

  it("passes over fields of every kind that are not known", () => {
    const before = new ProtoWriter()
      .varint(1, 2n ** 60n)
      .text(2, "unknown")
      .finish();
    const fixed = Buffer.from("190102030405060708" + "2501020304", "hex");
    const after = new ProtoWriter().varint(6, 42).finish();
    const reader = new ProtoReader(Buffer.concat([before, fixed, after]));
    const fields: number[] = [];
    for (let field = reader.next(); field !== 6; field = reader.next()) {
      fields.push(field);
      reader.skip();
    }
    assert.deepEqual(fields, [1, 2, 3, 4]);
    assert.equal(reader.int(), 42);
  });

  it("refuses what is cut off or no message, and never reads beyond it", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const reader = new ProtoReader(bytes);
        try {
          while (reader.next() !== 0) reader.skip();
        } catch (err) {
          assert.ok(err instanceof RangeError, String(err));
        }
      }),
    );
    const cut = new ProtoWriter().text(1, "cut off").finish().subarray(0, 5);
    const reader = new ProtoReader(cut);
    reader.next();
    assert.throws(() => reader.text(), /cut off/);
    const endless = new ProtoReader(Buffer.alloc(20, 0xff));
    assert.throws(() => endless.bigint(), /more than 64 bits/);
  });

  it("copies values, so that one does not keep the whole answer in memory", () => {
    const message = new ProtoWriter().bytes(1, Buffer.from("value")).finish();
    const reader = new ProtoReader(message);
    reader.next();
    const value = reader.bytes();
    message.fill(0);
    assert.equal(Buffer.from(value).toString(), "value");
  });
});
