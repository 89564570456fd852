import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { PackedReader, packBytes } from "./packed-bytes.ts";

const KIB = 2 ** 10;

describe("packBytes", () => {
  it("gives back every value, whatever their number and lengths", () => {
    const length = fc.oneof(fc.constant(0), fc.nat(2000), fc.nat(200 * KIB));
    fc.assert(
      fc.property(fc.array(length, { maxLength: 50 }), (lengths) => {
        const values = lengths.map((size, i) => new Uint8Array(size).fill(i + 1));
        const reader = new PackedReader(packBytes(values));
        for (const value of values) {
          assert.ok(Buffer.from(reader.take(value.length)).equals(value));
        }
      }),
      { numRuns: 50 },
    );
  });

  it("puts small values together, and a large one alone, so that one value keeps little in memory", () => {
    const values = [...Array<number>(100).fill(KIB), 3000 * KIB, 10].map((n) => new Uint8Array(n));
    const sizes = packBytes(values).map((chunk) => chunk.length / KIB);
    assert.deepEqual(sizes, [64, 36, 3000, 10 / KIB]);
  });

  it("copies: the buffers are nobody else's", () => {
    const value = new Uint8Array([1, 2, 3]);
    const [chunk] = packBytes([value]);
    assert.notEqual(chunk?.buffer, value.buffer);
    assert.equal(chunk?.buffer.byteLength, 3);
  });
});
