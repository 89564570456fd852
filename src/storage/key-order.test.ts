import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { compareKeys, prefixEnd } from "./key-order.ts";

const key = fc.string({ unit: "binary", maxLength: 5 });

describe("compareKeys", () => {
  it("orders as the bytes of UTF-8 do", () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
        assert.equal(Math.sign(compareKeys(a, b)), expected);
      }),
    );
  });

  it("puts characters beyond U+FFFF last, unlike `<`", () => {
    assert.ok(compareKeys("\u{1F600}", "\uFF5E") > 0);
  });
});

describe("prefixEnd", () => {
  it("comes after every key with the prefix and not after any later key", () => {
    fc.assert(
      fc.property(key, key, (prefix, other) => {
        const end = prefixEnd(prefix);
        const isInside = compareKeys(other, prefix) >= 0 && isBefore(other, end);
        assert.equal(isInside, other.startsWith(prefix));
      }),
    );
  });

  it("is the character after the surrogates for the one before them", () => {
    assert.equal(prefixEnd("a\uD7FF"), "a\uE000");
  });

  it("shortens the prefix where the last character is the highest", () => {
    assert.equal(prefixEnd("a\u{10FFFF}\u{10FFFF}"), "b");
  });

  it("is undefined when every key has the prefix, or nothing can come after", () => {
    assert.equal(prefixEnd(""), undefined);
    assert.equal(prefixEnd("\u{10FFFF}"), undefined);
  });
});

function isBefore(one: string, end: string | undefined): boolean {
  return end === undefined || compareKeys(one, end) < 0;
}
