import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { goJson, goQuote } from "./go-text.ts";

describe("goQuote", () => {
  const cases: readonly [string, string][] = [
    ["plain text", '"plain text"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ["\u0007\b\f\n\r\t\v", '"\\a\\b\\f\\n\\r\\t\\v"'],
    ["\u0000\u001f\u007f", '"\\x00\\x1f\\x7f"'],
    ["ü😀", '"ü😀"'],
    ["\u200b\u00a0\ufeff", '"\\u200b\\u00a0\\ufeff"'],
    ["\u{e0001}", '"\\U000e0001"'],
    ["<&>", '"<&>"'],
    ["\ud800", '"\ufffd"'],
  ];
  for (const [text, quoted] of cases) {
    it(`shows ${JSON.stringify(text)} as Go does`, () => {
      assert.equal(goQuote(text), quoted);
    });
  }
});

describe("goJson", () => {
  it("escapes what Go's encoder escapes for HTML", () => {
    assert.equal(goJson({ a: "<b>&\u2028" }), '{"a":"\\u003cb\\u003e\\u0026\\u2028"}');
  });

  it("shows what is absent as null", () => {
    assert.equal(goJson(undefined), "null");
  });
});
