import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { DecodeError } from "./decode-error.ts";
import type { JsonObject } from "./json.ts";
import { parseJsonText } from "./json-text.ts";

/** What the API says about the text. */
function mistake(text: string): string {
  try {
    parseJsonText(text);
  } catch (err) {
    assert(err instanceof DecodeError, String(err));
    return err.message;
  }
  return "";
}

describe("parseJsonText", () => {
  it("reads what JSON.parse reads, without duplicates", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom("", " ", "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const parsed = parseJsonText(text);
        assert.deepEqual(parsed.value, JSON.parse(text));
        assert.deepEqual(parsed.duplicates, []);
      }),
    );
  });

  it("names a key that is given twice by its path", () => {
    const cases = [
      ['{"data":{"a":"1","a":"2"}}', ["data.a"]],
      ['{"data":{"a":"1"},"data":{"a":"2"}}', ["data"]],
      ['{"l":[{"x":1},{"y":{"z":1,"z":2}}]}', ["l[1].y.z"]],
      ['{"a":1,"a":2,"a":3}', ["a"]],
      ['[[{"b":0 , "b" : [1, 2], "c":{"b":1}}]]', ["[0][0].b"]],
      ['{"a":{"k":"}\\"{","k":"a:b,c"},"b":1}', ["a.k"]],
      ['{"\\u0061":1,"a":2}', ["a"]],
    ] as const;
    for (const [text, paths] of cases)
      assert.deepEqual(parseJsonText(text).duplicates, paths, text);
  });

  it("keeps the last of the values that a key is given", () => {
    assert.deepEqual(parseJsonText('{"a":1,"a":{"b":2}}').value, { a: { b: 2 } });
  });

  it("finds every duplicate that is put into a document", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { minKeys: 1 }),
        fc.nat(),
        (object, n) => {
          const text = JSON.stringify(object);
          const keys = Object.keys(object);
          const key = keys[n % keys.length] ?? "";
          const doubled = `${text.slice(0, -1)},${JSON.stringify(key)}:null}`;
          assert.deepEqual(parseJsonText(doubled).duplicates, [key.toWellFormed()]);
        },
      ),
    );
  });

  it("reports no more than a hundred duplicates", () => {
    const pairs = Array.from({ length: 300 }, (_, i) => `"k${i}":1,"k${i}":2`);
    assert.equal(parseJsonText(`{${pairs.join(",")}}`).duplicates.length, 100);
  });

  it("takes __proto__ for a key like any other", () => {
    const { value, duplicates } = parseJsonText('{"__proto__":{"x":1},"__proto__":{"y":2}}');
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.deepEqual(Object.keys(value as JsonObject), ["__proto__"]);
    assert.deepEqual(duplicates, ["__proto__"]);
  });

  it("puts U+FFFD in place of half a character", () => {
    assert.deepEqual(parseJsonText('{"\\ud800":"a\\uDC00b\\ud83d\\ude00\\\\ud800\\u0041"}').value, {
      "\ufffd": "a\ufffdb\u{1f600}\\ud800A",
    });
  });

  it("refuses values that are nested too deeply, however deep", () => {
    for (const depth of [1001, 100_000]) {
      assert.equal(
        mistake("[".repeat(depth) + "]".repeat(depth)),
        "invalid character '[' exceeded max depth",
      );
    }
    assert.equal(
      mistake(`${'{"a":'.repeat(2000)}1${"}".repeat(2000)}`),
      "invalid character '{' exceeded max depth",
    );
    assert.equal(mistake("[".repeat(1000) + "]".repeat(1000)), "");
  });

  it("describes syntax errors in the words of the API", () => {
    const end = "unexpected end of JSON input";
    const value = "looking for beginning of value";
    const cases: readonly (readonly [string, string])[] = [
      ["", end],
      ["  ", end],
      ['{"kind":', end],
      ["[", end],
      ["[1,", end],
      ['"abc', end],
      ["-", end],
      ["1.", end],
      ["tru", end],
      ["apiVersion: v1", `invalid character 'a' ${value}`],
      ["[,]", `invalid character ',' ${value}`],
      ["[1,]", `invalid character ']' ${value}`],
      ["'a'", `invalid character '\\'' ${value}`],
      ["\u0000", `invalid character '\\x00' ${value}`],
      ["é", `invalid character 'Ã' ${value}`],
      ["\ufeff{}", `invalid character 'ï' ${value}`],
      ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
      ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
      ['{"a" 1}', "invalid character '1' after object key"],
      ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
      ["[1 2]", "invalid character '2' after array element"],
      ["{} x", "invalid character 'x' after top-level value"],
      ["01", "invalid character '1' after top-level value"],
      ["[-a]", "invalid character 'a' in numeric literal"],
      ["[1.a]", "invalid character 'a' after decimal point in numeric literal"],
      ["[1e+]", "invalid character ']' in exponent of numeric literal"],
      ["[trux]", "invalid character 'x' in literal true (expecting 'e')"],
      ["[fAlse]", "invalid character 'A' in literal false (expecting 'a')"],
      ["[nil]", "invalid character 'i' in literal null (expecting 'u')"],
      ['["a\nb"]', "invalid character '\\n' in string literal"],
      ['["\\x"]', "invalid character 'x' in string escape code"],
      ['["\\u12g4"]', "invalid character 'g' in \\u hexadecimal character escape"],
    ];
    for (const [text, message] of cases) assert.equal(mistake(text), message, JSON.stringify(text));
  });

  it("has words for whatever JSON.parse refuses", () => {
    const pieces = fc.constantFrom(..."{}[],:\"\\u0ae-+.1 \ntrufalsn'é".split(""));
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        assert.match(
          mistake(parts.join("")),
          /^$|^unexpected end of JSON input$|^invalid character '.+' \w/,
        );
      }),
      { numRuns: 2000 },
    );
  });

  it("tells no more of duplicates below a very long key than of others", () => {
    const pairs = Array.from({ length: 100 }, (_, i) => `"k${i}":1,"k${i}":2`);
    const { duplicates } = parseJsonText(`{"${"x".repeat(1_000_000)}":{${pairs.join(",")}}}`);
    assert.equal(duplicates.length, 1);
  });
});
