import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { canonicalBase64 } from "./decode-base64.ts";
import { DecodeError } from "./decode-error.ts";

function badByte(text: string): number {
  try {
    canonicalBase64(text);
  } catch (err) {
    assert(err instanceof DecodeError, String(err));
    return Number(/^illegal base64 data at input byte (\d+)$/.exec(err.message)?.[1]);
  }
  return -1;
}

describe("canonicalBase64", () => {
  it("leaves canonical text as it is, and takes line breaks out of other", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 40 }),
        fc.nat(50),
        fc.constantFrom("\n", "\r\n"),
        (bytes, at, eol) => {
          const text = Buffer.from(bytes).toString("base64");
          assert.equal(canonicalBase64(text), text);
          assert.equal(canonicalBase64(text.slice(0, at) + eol + text.slice(at) + eol), text);
        },
      ),
    );
  });

  it("clears the bits of the last character that belong to no byte", () => {
    assert.equal(canonicalBase64("AB=="), "AA==");
    assert.equal(canonicalBase64("AAB="), "AAA=");
    assert.equal(canonicalBase64("AA/="), "AA8=");
  });

  it("says at which byte the text stops being base64", () => {
    const cases = [
      ["not base64!", 3],
      ["a", 0],
      ["ab", 0],
      ["abc", 0],
      ["abcde", 4],
      ["=", 0],
      ["a===", 1],
      ["ab=", 3],
      ["ab=c", 2],
      ["ab==x", 4],
      ["abc=x", 4],
      ["abc==", 4],
      ["ab==ab==", 4],
      ["ab-_", 2],
      ["ab\n=", 4],
      ["é", 0],
      ["abc\u{1f600}", 3],
      [" ", 0],
    ] as const;
    for (const [text, byte] of cases) assert.equal(badByte(text), byte, JSON.stringify(text));
  });

  it("accepts exactly what decodes to the same bytes", () => {
    const characters = fc.constantFrom(..."Ab1+/=\n-".split(""));
    fc.assert(
      fc.property(fc.array(characters, { maxLength: 9 }), (parts) => {
        const text = parts.join("");
        if (badByte(text) !== -1) return;
        assert.equal(canonicalBase64(text), Buffer.from(text, "base64").toString("base64"));
      }),
      { numRuns: 3000 },
    );
  });
});
