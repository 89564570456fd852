import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { WireReader } from "./wire-reader.ts";
import { WireWriter } from "./wire-writer.ts";

describe("WireWriter", () => {
  it("writes whole numbers that are read back", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        const writer = new WireWriter();
        writer.varint(value);
        assert.equal(new WireReader(writer.finish()).int64(), value);
      }),
    );
  });

  it("puts the right length before messages of any size, also nested ones", () => {
    const sizes = fc.constantFrom(0, 1, 126, 127, 128, 129, 300, 16_383, 16_384, 20_000);
    fc.assert(
      fc.property(sizes, sizes, fc.string({ unit: "grapheme" }), (outer, inner, text) => {
        const writer = new WireWriter();
        writer.message(1, (message) => {
          message.string(1, "x".repeat(outer));
          message.message(2, (nested) => nested.string(3, "y".repeat(inner) + text));
        });
        writer.string(4, "end");
        const reader = new WireReader(writer.finish());
        assert.equal(reader.tag(), 0x0a);
        const message = reader.message();
        assert.equal(message.tag(), 0x0a);
        assert.equal(message.string(), "x".repeat(outer));
        assert.equal(message.tag(), 0x12);
        const nested = message.message();
        assert.equal(nested.tag(), 0x1a);
        assert.equal(nested.string(), "y".repeat(inner) + text);
        assert(nested.done && message.done);
        assert.equal(reader.tag(), 0x22);
        assert.equal(reader.string(), "end");
        assert(reader.done);
      }),
    );
  });
});
