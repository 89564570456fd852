import { equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { NamePatternError, namePattern } from "./name-pattern.ts";

describe("namePattern", () => {
  for (const [pattern, fits, others] of [
    ["app", "app", "app2 my-app"],
    ["app.config", "app.config app-config", "appconfig"],
    ["app-.*", "app- app-x app-x.y", "app my-app-x"],
    ["a|b", "a abc b xb", "xa bx c"],
    ["(a|b)-(?:c|d)+", "a-c b-cddc", "a- ac c-a"],
    ["x{2,3}", "xx xxx", "x xxxx"],
    ["[a-c0]+", "abc0", "d abcd"],
    ["[^-]+", "abc", "a-b"],
    ["[]a]", "] a", "b"],
    ["[[:digit:]]+", "123", "12a"],
    ["v\\d+\\.\\d?", "v12. v1.2", "v1 v1x2"],
    // Go lets a beginning be repeated, so that many a list says more than its author thought.
    ["*-config", "app-config x-config", "app-config2"],
    ["", "", "a"],
    ["(?P<n>a)b??", "a ab", "b"],
  ] as const) {
    it(`${JSON.stringify(pattern)} fits ${fits} and not ${others}`, () => {
      const matches = namePattern(pattern);
      for (const name of fits.split(" ")) equal(matches(name), true, name);
      for (const name of others.split(" ")) equal(matches(name), false, name);
    });
  }

  it("refuses what it does not understand", () => {
    for (const pattern of ["(", ")", "[a", "a**", "\\b", "(?i)a", "(?=a)", "x{2,1}", "\\1"]) {
      throws(() => namePattern(pattern), NamePatternError, pattern);
    }
    throws(() => namePattern("a".repeat(513)), NamePatternError);
  });

  it("refuses repetitions of repetitions that would keep it busy for hours", () => {
    throws(() => namePattern("(((.?){300}){300}){300}"), NamePatternError);
    throws(() => namePattern("(.{0,300}.{0,300}){300}"), NamePatternError);
    throws(() => namePattern(`${"(".repeat(20)}.?${")+".repeat(20)}`), NamePatternError);
  });

  it("comes to an end with patterns that make others go back for ever", () => {
    const name = "a".repeat(253);
    for (const pattern of ["(a+)+b", "(a|a)*b", "(.*)*x", `${"a?".repeat(200)}b`, "((a*)*)*b"]) {
      equal(namePattern(pattern)(name), false);
    }
  });

  it("agrees with the engine's own on patterns that both know", () => {
    const atom = fc.constantFrom(
      "a",
      "b",
      "-",
      ".",
      "[ab]",
      "(a|b-)",
      "(?:ab)?",
      "a*",
      "b+",
      ".*",
      "|",
    );
    const names = fc.string({ unit: fc.constantFrom("a", "b", "-"), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(atom, { maxLength: 6 }), names, (atoms, name) => {
        const pattern = atoms.join("");
        equal(namePattern(pattern)(name), new RegExp(`^${pattern}$`).test(name));
      }),
      { numRuns: 500 },
    );
  });
});
