import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { ruleTable } from "./reports/rule-table.ts";
import { findRule, isAtLeast, rules } from "./rules.ts";

describe("the rules", () => {
  it("have ids of their own, in order", () => {
    const ids = rules.map(({ id }) => id);
    assert.deepEqual(ids, [...new Set(ids)].toSorted());
    for (const id of ids) assert.match(id, /^DL\d{3}$/);
  });

  it("say what, why and how to mend it in sentences", () => {
    for (const { id, what, why, fix } of rules) {
      assert.doesNotMatch(what, /\.$/, id);
      for (const text of [why, fix]) assert.match(text, /^\S.*\.{1,2}$/s, id);
    }
  });

  it("are found by id and by name", () => {
    assert.equal(findRule("dl101")?.name, "subpath-frozen");
    assert.equal(findRule("env-frozen")?.id, "DL102");
    assert.equal(findRule("DL999"), undefined);
  });

  it("are in docs/lint.md as they are here", () => {
    const text = readFileSync(new URL("../../docs/lint.md", import.meta.url), "utf8");
    const table = /<!-- rules -->\n(.*)\n<!-- \/rules -->/s.exec(text)?.[1];
    assert.deepEqual(
      rowsOf(table ?? ""),
      rowsOf(ruleTable()),
      "docs/lint.md is out of date: put ruleTable() between its marks",
    );
  });

  it("are as bad as themselves, and worse than what is milder", () => {
    assert.equal(isAtLeast("error", "warning"), true);
    assert.equal(isAtLeast("warning", "warning"), true);
    assert.equal(isAtLeast("note", "warning"), false);
  });
});

/** However wide a formatter has made the columns. */
function rowsOf(table: string): readonly string[] {
  return table
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---"));
}
