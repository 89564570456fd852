// The corpus of manifests: what is found in each, on which line, and what --fix makes of it. Adding a case is adding files.

import assert from "node:assert/strict";
import { copyFileSync, globSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { describe, it } from "node:test";
import { type Linted, lint } from "../../src/audit/lint.ts";
import { isAtLeast, rules } from "../../src/audit/rules.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";

const DATA = new URL("./testdata", import.meta.url).pathname;

function manifests(folder: string): readonly string[] {
  return globSync(`${DATA}/${folder}/*.{yaml,json}`).toSorted();
}

function linted(file: string, options: { readonly isFixing?: boolean } = {}): Linted {
  const { isFixing = false } = options;
  return lint({ names: [file], isStrict: false, isFixing, isWanted: () => true });
}

function lines({ report }: Linted): readonly string[] {
  return report.findings.map(({ finding, place }) => {
    const { rule, severity } = finding;
    return `${place?.line}:${place?.column} ${severity} ${rule.id} ${rule.name}`;
  });
}

function expected(file: string): readonly string[] {
  const text = readFileSync(`${file.slice(0, -extname(file).length)}.findings`, "utf8");
  return text.split("\n").filter((line) => line !== "");
}

describe("a faulty manifest", () => {
  const files = manifests("faulty");

  it("is one of at least thirty", () => assert.ok(files.length >= 30, `${files.length}`));

  for (const file of files) {
    it(`${basename(file)} has the findings beside it`, () => {
      const result = linted(file);
      assert.deepEqual(result.problems, []);
      assert.deepEqual(lines(result), expected(file));
    });
  }

  it("is there for every rule that needs neither running pods nor megabytes", () => {
    const elsewhere = ["too-large", "large", "env-too-large"];
    const wanted = rules.filter(({ name, isLive }) => isLive !== true && !elsewhere.includes(name));
    const told = files.flatMap(expected).join("\n");
    assert.deepEqual(
      wanted.filter(({ id }) => !told.includes(id)),
      [],
    );
  });
});

describe("a clean manifest", () => {
  const files = manifests("clean");

  it("is one of at least eight", () => assert.ok(files.length >= 8, `${files.length}`));

  for (const file of files) {
    it(`${basename(file)} has no findings, not even notes`, () => {
      const result = linted(file);
      assert.deepEqual(result.problems, []);
      assert.deepEqual(lines(result), []);
    });
  }
});

describe("--fix", () => {
  for (const before of manifests("fix").filter((file) => file.includes(".before."))) {
    const after = before.replace(".before.", ".after.");
    const name = basename(before);

    it(`makes of ${name} what is beside it, and leaves that as it is`, () => {
      using directory = tempDir();
      const copy = join(directory.path, name);
      copyFileSync(before, copy);
      const first = linted(copy, { isFixing: true });
      assert.equal(readFileSync(copy, "utf8"), readFileSync(after, "utf8"));
      assert.equal(
        first.fixed.length > 0,
        readFileSync(before, "utf8") !== readFileSync(after, "utf8"),
      );
      assert.deepEqual(linted(copy, { isFixing: true }).fixed, []);
      assert.equal(readFileSync(copy, "utf8"), readFileSync(after, "utf8"));
    });

    it(`leaves fewer findings in ${name}, and none that it could fix`, () => {
      const [old, now] = [linted(before), linted(after)];
      const bad = (result: Linted): number =>
        result.report.findings.filter(({ finding }) => isAtLeast(finding.severity, "warning"))
          .length;
      assert.ok(bad(now) <= bad(old));
      assert.deepEqual(
        now.report.findings.filter(({ finding }) => finding.fix !== undefined),
        [],
      );
    });
  }

  it("writes nothing where nothing is to be fixed", () => {
    for (const file of manifests("clean")) {
      const before = readFileSync(file, "utf8");
      assert.deepEqual(linted(file, { isFixing: true }).fixed, []);
      assert.equal(readFileSync(file, "utf8"), before);
    }
  });
});
