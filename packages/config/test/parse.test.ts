import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseDotenv } from "../src/index.js";
import { parseJson } from "../src/json.js";

describe("parseDotenv", () => {
  it("reads plain, quoted, exported, commented and empty values", () => {
    const text = [
      "# a comment",
      "",
      "PLAIN=some value  # with a comment",
      "  export EXPORTED = yes",
      "EMPTY=",
      "HASH=a#b",
      "SINGLE='as is: \\n \"x\" # no comment' # comment",
      'DOUBLE="tab\\t quote\\" dollar\\$ back\\\\ other\\q"',
      "URL=postgres://u:p@h/db?x=1",
      "dotted.name-1=ok",
      "AGAIN=1",
      "AGAIN=2",
    ].join("\n");
    assert.deepEqual(parseDotenv(text), {
      PLAIN: "some value",
      EXPORTED: "yes",
      EMPTY: "",
      HASH: "a#b",
      SINGLE: 'as is: \\n "x" # no comment',
      DOUBLE: 'tab\t quote" dollar$ back\\ other\\q',
      URL: "postgres://u:p@h/db?x=1",
      "dotted.name-1": "ok",
      AGAIN: "2",
    });
  });

  it("reads double quotes over several lines, and lines that end the Windows way", () => {
    assert.deepEqual(parseDotenv('KEY="one\r\ntwo"\r\nNEXT=3\r\n'), { KEY: "one\ntwo", NEXT: "3" });
    assert.deepEqual(parseDotenv('KEY="one\\ntwo"'), { KEY: "one\ntwo" });
  });

  it("reads values of a megabyte and ten thousand lines", () => {
    const long = "x".repeat(2 ** 20);
    const lines = Array.from({ length: 10_000 }, (_, n) => `KEY_${n}=${n}`);
    const values = parseDotenv(
      [`A=${long} # c`, `B="${long}"`, `C='${long}'`, ...lines].join("\n"),
    );
    assert.ok(values["A"] === long && values["B"] === long && values["C"] === long);
    assert.equal(values["KEY_9999"], "9999");
  });

  it("takes a blank and a # right after the equals sign for a comment", () => {
    assert.deepEqual(parseDotenv("A= # comment\nB=#b\nC=\t#c\nD= x # d\nE="), {
      A: "",
      B: "#b",
      C: "",
      D: "x",
      E: "",
    });
  });

  it("reads values of 32 MiB and a million escapes", () => {
    const length = 2 ** 25;
    assert.equal(parseDotenv(`A=${"x".repeat(length)}`)["A"]?.length, length);
    assert.equal(parseDotenv(`A='${"x".repeat(length)}'`)["A"]?.length, length);
    assert.equal(parseDotenv(`A="${String.raw`\n`.repeat(2 ** 23)}"`)["A"]?.length, 2 ** 23);
  });

  it("keeps __proto__ a key like any other", () => {
    const values = parseDotenv("__proto__=x");
    assert.deepEqual(Object.entries(values), [["__proto__", "x"]]);
  });

  it("names the line, and nothing of its content, when it does not understand", () => {
    for (const [text, message] of [
      ["A=1\nsecret", "line 2: expected KEY=value"],
      ['A=1\n\nB="secret\n', "line 3: the quote is never closed"],
      ["A='x' secret", "line 1: expected the end of the line after the closing quote"],
      ["=secret", "line 1: expected KEY=value"],
    ] as const) {
      assert.throws(() => parseDotenv(text), { message });
    }
  });
});

describe("parseJson", () => {
  it("returns what JSON.parse returns", () => {
    assert.deepEqual(parseJson(' {"a": [1, -2.5e3, "x\\u0041", true, null]} '), {
      a: [1, -2500, "xA", true, null],
    });
  });

  it("names line and column of the first mistake, and nothing of the content", () => {
    for (const [text, line, column] of [
      ["secret", 1, 1],
      ['{"a": secret}', 1, 7],
      ['{\n  "a": 1,\n  "b" "secret"\n}', 3, 7],
      ['{"a": 1} secret', 1, 10],
      ["[1, 2,]", 1, 7],
      ['{"a": 1,}', 1, 9],
      ['{"a": "secret\n"}', 1, 7],
      ['{"a": "\\q"}', 1, 7],
      ["[01]", 1, 3],
      ["[1}", 1, 3],
      ['{1: "secret"}', 1, 2],
      ["{'a': 1}", 1, 2],
      ['{"a" 1}', 1, 6],
    ] as const) {
      assert.throws(
        () => parseJson(text),
        (error: Error) => {
          assert.equal(error.message, `not valid JSON at line ${line}, column ${column}`);
          assert.equal(error.cause, undefined);
          return true;
        },
      );
    }
  });

  it("says when the text ends too early", () => {
    for (const text of ["", "  ", "[1,", '{"a"', '{"a": [{}']) {
      assert.throws(() => parseJson(text), /column \d+, where it ends too early$/);
    }
    assert.throws(() => parseJson('{"a": "secret'), /line 1, column 7$/);
  });

  it("finds the place behind a value of a megabyte", () => {
    const text = `{"a": "${"x".repeat(2 ** 20)}", secret}`;
    assert.throws(() => parseJson(text), {
      message: `not valid JSON at line 1, column ${text.length - 6}`,
    });
  });
});
