import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { lineDiff } from "./line-diff.ts";

function shown(before: string, after: string): string {
  return lineDiff(before, after)
    .map(({ text }) => text)
    .join("\n");
}

const numbers = (...without: readonly number[]): string =>
  Array.from({ length: 20 }, (_, index) => index + 1)
    .filter((number) => !without.includes(number))
    .map((number) => `line ${number}\n`)
    .join("");

describe("lineDiff", () => {
  it("shows what differs with three lines around it", () => {
    equal(
      shown(numbers(), numbers().replace("line 10\n", "line ten\n")),
      `@@ -7,7 +7,7 @@
 line 7
 line 8
 line 9
-line 10
+line ten
 line 11
 line 12
 line 13`,
    );
  });

  it("shows differences that are far apart each for itself", () => {
    const places = lineDiff(numbers(), numbers(2, 18)).filter(({ type }) => type === "place");
    deepEqual(
      places.map(({ text }) => text),
      ["@@ -1,5 +1,4 @@", "@@ -15,6 +14,5 @@"],
    );
  });

  it("says when a line has no end", () => {
    equal(shown("a\nb\n", "a\nb"), "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at the end");
  });

  it("shows a text that was not there before", () => {
    equal(shown("", "a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b");
    equal(shown("a\n", ""), "@@ -1 +0,0 @@\n-a");
  });

  it("turns one text into the other, whatever they are", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", "")).map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = lineDiff(before, after);
        const count = (type: string): number => lines.filter((line) => line.type === type).length;
        const linesOf = (of: string): number => of.match(/[^\n]*\n|[^\n]+$/g)?.length ?? 0;
        equal(count("added") - count("removed"), linesOf(after) - linesOf(before));
        equal(lines.length === 0, before === after);
      }),
    );
  });

  it("ends in good time with long texts that have little in common", () => {
    const long = (sign: string): string =>
      Array.from({ length: 20_000 }, (_, index) => `${sign}${index}\n`).join("");
    equal(lineDiff(long("a"), long("b")).length, 40_001);
  });
});
