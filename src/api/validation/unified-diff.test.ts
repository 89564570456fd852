import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { unifiedDiff } from "./unified-diff.ts";

/** What the old text becomes when the difference is applied to it. */
function patched(before: string, diff: string): string {
  const lines = before.split("\n");
  const result: string[] = [];
  let at = 0;
  for (const line of diff.split("\n").slice(0, -1)) {
    const start = /^@@ -(\d+)(,0)?/.exec(line);
    if (start !== null) {
      const from = Number(start[1]) - (start[2] === undefined ? 1 : 0);
      result.push(...lines.slice(at, from));
      at = from;
      continue;
    }
    if (line.startsWith("+")) result.push(line.slice(1));
    else {
      assert.equal(lines[at], line.slice(1));
      if (line.startsWith(" ")) result.push(line.slice(1));
      at++;
    }
  }
  return [...result, ...lines.slice(at)].join("\n");
}

describe("unifiedDiff", () => {
  it("says nothing about equal texts", () => {
    assert.equal(unifiedDiff("a\nb", "a\nb"), "");
  });

  it("shows three lines around a change", () => {
    assert.equal(
      unifiedDiff("1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nx\ny\n6\n7\n8\n9"),
      "@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+x\n+y\n 6\n 7\n 8\n",
    );
  });

  it("joins changes whose context touches, and keeps others apart", () => {
    const before = Array.from({ length: 20 }, (_, i) => `${i}`);
    const after = before.with(2, "a").with(8, "b").with(17, "c");
    const hunks = unifiedDiff(before.join("\n"), after.join("\n")).match(/^@@.*@@$/gm);
    assert.deepEqual(hunks, ["@@ -1,12 +1,12 @@", "@@ -15,6 +15,6 @@"]);
  });

  it("leads from the old text to the new one, whatever they are", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "{", "}", ""), {
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const [before, after] = [a.join("\n"), b.join("\n")];
        assert.equal(patched(before, unifiedDiff(before, after)), after);
      }),
    );
  });

  it("leads there also in long texts, where common lines start no match", () => {
    const lines = fc.array(fc.constantFrom("}", "},", "x", "y", "z"), {
      minLength: 200,
      maxLength: 260,
    });
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const [before, after] = [a.join("\n"), b.join("\n")];
        assert.equal(patched(before, unifiedDiff(before, after)), after);
      }),
      { numRuns: 20 },
    );
  });
});
