import { equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { fixedDirectory, globExpression } from "./glob.ts";

const table: readonly [pattern: string, name: string, isMatch: boolean][] = [
  ["*.yaml", "a.yaml", true],
  ["*.yaml", "a/b.yaml", false],
  ["*.yaml", "axyaml", false],
  ["**", "a/b/c", true],
  ["**/*.yaml", "b.yaml", true],
  ["**/*.yaml", "a/b.yaml", true],
  ["a?c", "abc", true],
  ["a?c", "a/c", false],
  ["[ab]x", "bx", true],
  ["[!ab]x", "bx", false],
  ["[x", "[x", true],
  ["[z-a]", "[z-a]", true],
  ["{a,b}.txt", "b.txt", true],
  ["{a,b}.txt", "c.txt", false],
  ["a,b}", "a,b}", true],
  ["{a", "a", true],
  ["\\*", "*", true],
  ["\\*", "a", false],
  ["a.b", "a.b", true],
  ["a.b", "axb", false],
];

describe("globExpression", () => {
  for (const [pattern, name, isMatch] of table) {
    it(`${pattern} ${isMatch ? "finds" : "does not find"} ${name}`, () => {
      equal(globExpression(pattern).test(name), isMatch);
    });
  }

  it("knows the directories that are no pattern", () => {
    equal(fixedDirectory("a/b/*.yaml"), "a/b/");
    equal(fixedDirectory("a/b.yaml"), "a/");
    equal(fixedDirectory("**"), "");
  });
});
