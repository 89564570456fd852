import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusals } from "./testing/refusals.ts";
import { yamlSyntaxError } from "./yaml-syntax-error.ts";

describe("yamlSyntaxError", () => {
  for (const [what, cases] of Object.entries(refusals)) {
    it(`says what kubectl says of mistakes with ${what}`, () => {
      const told = cases.map(([text]) => [text, yamlSyntaxError(text)]);
      assert.deepEqual(told, cases);
    });
  }

  it("has nothing to say of what is right, or wrong in a way that Go's parser does not see", () => {
    const texts = [
      "",
      "# nothing\n",
      "a: 1\n",
      "a:\n- b: |\n    c\n  d: 'e''f'\n",
      "a: &x [1, {b: c}, 'd']\ne: *x\nf: !!str 1\n",
      "%TAG !e! tag:e,2000:\n---\na: !e!b c\n...\n",
      "a: {b: c,\nd: e}\n",
      '"a" "b"',
      "{a: b} c",
      "  a: 1\nb: 2\n",
      "[]: 1",
      "a: 1\n---\nb: [\n",
      "a: \ufffd\ue000😀\u00a0\n",
    ];
    for (const text of texts) assert.equal(yamlSyntaxError(text), undefined, text);
  });

  it("bears nesting that would exhaust the stack", () => {
    const depth = 10_000;
    assert.equal(yamlSyntaxError("[".repeat(depth) + "]".repeat(depth)), undefined);
    const tooDeep = `yaml: exceeded max depth of ${depth}`;
    assert.equal(yamlSyntaxError("[".repeat(depth + 1)), tooDeep);
    assert.equal(yamlSyntaxError("- ".repeat(depth + 1)), tooDeep);
  });
});
