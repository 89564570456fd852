import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { JsonValue } from "../api/json.ts";
import { parseYamlText } from "../api/yaml-text.ts";
import { printYaml } from "./yaml-printer.ts";

/** As kubectl 1.36 prints them under the key "k". */
const texts: readonly (readonly [text: string, printed: string])[] = [
  ["plain", "plain"],
  ["", '""'],
  ["true", '"true"'],
  ["yes", '"yes"'],
  ["y", '"y"'],
  ["tRUE", "tRUE"],
  ["0777", '"0777"'],
  ["1_000", '"1_000"'],
  ["1.5e", "1.5e"],
  ["12:30", '"12:30"'],
  ["2026-01-01", '"2026-01-01"'],
  ["2026-11-16T12:00:00Z", '"2026-11-16T12:00:00Z"'],
  [".inf", '".inf"'],
  ["~", '"~"'],
  ["a: b", "'a: b'"],
  ["a #b", "'a #b'"],
  ["a,b", "a,b"],
  [":x", ":x"],
  ["a:", "'a:'"],
  ["- x", "'- x'"],
  ["-x", "-x"],
  ["'x'", "'''x'''"],
  [" lead", "' lead'"],
  ["--- a", "'--- a'"],
  ["tab\there", '"tab\\there"'],
  ["\u0001", '"\\x01"'],
  ["\u{1f600}", '"\\U0001F600"'],
  ["é", "é"],
  ["one\ntwo\n", "|\n  one\n  two"],
  ["one\ntwo", "|-\n  one\n  two"],
  ["one\n\n\n", "|+\n  one\n\n"],
  ["  one\ntwo", "|2-\n    one\n  two"],
  ["\n", "|2+\n"],
  ["trail \nx", '"trail \\nx"'],
  [
    "a very long line of text that goes beyond eighty columns so that we can see whether it is folded",
    "a very long line of text that goes beyond eighty columns so that we can see whether\n  it is folded",
  ],
];

describe("printYaml", () => {
  for (const [text, printed] of texts) {
    it(`writes ${JSON.stringify(text)} as kubectl does`, () => {
      equal(printYaml({ k: text }), `k: ${printed}\n`);
    });
  }

  it("sorts keys, and does not indent lists below their key", () => {
    const value = { b: [{ y: 1, x: [] }, [1, [2]], "s"], a: { c: {}, d: null } };
    equal(
      printYaml(value),
      `a:
  c: {}
  d: null
b:
- x: []
  "y": 1
- - 1
  - - 2
- s
`,
    );
  });

  it("marks keys that are too long to stand in front of a colon", () => {
    const key = "k".repeat(129);
    equal(printYaml({ [key]: "v" }), `? ${key}\n: v\n`);
  });

  it("indents a text that stands alone and begins with a line break", () => {
    equal(printYaml("\na"), "|2-\n\n  a\n");
  });

  it("is read back as what it was", () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: fc.constantFrom("a", " ", "\n", "-", ":", "'", '"', "#", "\t", "1", "é") }),
      fc.lorem({ mode: "sentences", maxCount: 4 }),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        tie("list"),
        tie("map"),
      ),
      list: fc.array(tie("value"), { maxLength: 4 }),
      map: fc.dictionary(text, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    }));
    fc.assert(
      fc.property(value, (given) => {
        const json = given as JsonValue;
        deepEqual(parseYamlText(printYaml(json)).value, json);
      }),
    );
  });
});
