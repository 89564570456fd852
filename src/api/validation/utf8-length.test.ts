import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import fc from "fast-check";
import { base64Length, exceedsBytes, utf8Length } from "./utf8-length.ts";

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
);

describe("utf8Length", () => {
  it("is the number of bytes of any text, with halves of characters replaced", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        assert.equal(utf8Length(text), Buffer.byteLength(text, "utf8"));
      }),
    );
  });

  it("decides limits as counting does", () => {
    fc.assert(
      fc.property(anyText, fc.nat(100), (text, max) => {
        assert.equal(exceedsBytes(text, max), Buffer.byteLength(text) > max);
      }),
    );
  });
});

describe("base64Length", () => {
  it("is the number of bytes that come out", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        assert.equal(base64Length(Buffer.from(bytes).toString("base64")), bytes.length);
      }),
    );
  });
});
