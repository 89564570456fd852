import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { words } from "./words.ts";

const cases: readonly (readonly [string, readonly string[]])[] = [
  ["nginx -t", ["nginx", "-t"]],
  ["  a   b ", ["a", "b"]],
  [`sh -c 'echo "$X" | grep x'`, ["sh", "-c", 'echo "$X" | grep x']],
  [`a"b c"'d e'f`, ["ab cd ef"]],
  [`a '' ""`, ["a", "", ""]],
  [String.raw`a\ b "c\"d" "e\n"`, ["a b", 'c"d', String.raw`e\n`]],
  [String.raw`a\\b "c\d"`, [String.raw`a\b`, String.raw`c\d`]],
];

for (const [text, expected] of cases) {
  test(`words reads ${text} as a shell does`, () => {
    assert.deepEqual(words(text), expected);
  });
}

test("words gives back what was quoted word by word", () => {
  const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (list) => {
      assert.deepEqual(words(list.map(quoted).join(" ")), list);
    }),
  );
});

test("words refuses a quote that does not end, and nothing at all", () => {
  assert.throws(() => words("a 'b"), /a quote does not end/);
  assert.throws(() => words('a "b'), /a quote does not end/);
  assert.throws(() => words("  "), /no command/);
});
