// Proves each gate by a fault that it has to find, in a tiny project with the real configuration.

import assert from "node:assert/strict";
import { copyFileSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type TempDir, tempDir } from "../src/base/testing/temp-dir.ts";
import { runChecks } from "./check.ts";
import { layers } from "./check-layers.ts";

const root = join(import.meta.dirname, "..");
const configuration = [
  "tsconfig.json",
  "biome.json",
  ".oxlintrc.json",
  "knip.json",
  ".nvmrc",
  ".gitignore",
];

// The formatter wants its columns aligned.
const rows = [
  ["Layer", "May import"],
  ["-".repeat(13), "-".repeat(78)],
  ...[...layers].map(([layer, allowed]) => [
    `\`${layer}\``,
    allowed === "everything" ? allowed : allowed.join(", ") || "nothing",
  ]),
];
const widths = [0, 1].map((i) => Math.max(...rows.slice(2).map((row) => row[i]?.length ?? 0)));
const table = rows.map(
  (row) =>
    `| ${row.map((cell, i) => cell.slice(0, widths[i]).padEnd(widths[i] ?? 0)).join(" | ")} |`,
);

const manifest = {
  name: "tiny",
  private: true,
  type: "module",
  engines: { node: ">=24.12" },
  scripts: { test: "node --test" },
  devDependencies: {
    "@types/node": "24.19.2",
    node: readFileSync(join(root, ".nvmrc"), "utf8").trim(),
  },
};

function project(): TempDir {
  const dir = tempDir();
  for (const name of configuration) {
    copyFileSync(join(root, name), dir.join(name));
  }
  symlinkSync(join(root, "node_modules"), dir.join("node_modules"));
  dir.write({
    "ARCHITECTURE.md": `${table.join("\n")}\n`,
    "package.json": `${JSON.stringify(manifest, null, 2)}\n`,
    "src/base/sum.ts": `// Adds.

export function sum(a: number, b: number): number {
  return a + b;
}
`,
    "src/base/sum.test.ts": `import { it } from "node:test";
import { sum } from "./sum.ts";

it("adds", () => {
  sum(1, 2);
});
`,
  });
  return dir;
}

const faults: readonly { gate: string; name: string; file: string; text: string; finds: RegExp }[] =
  [
    {
      gate: "format",
      name: "a file that is not formatted",
      file: "src/base/crooked.test.ts",
      text: "export   const crooked = 'single'\n",
      finds: /crooked\.test\.ts/,
    },
    {
      gate: "lint",
      name: "a promise that nobody waits for",
      file: "src/base/floating.test.ts",
      text: `import { rm } from "node:fs/promises";\n\nrm("x");\n`,
      finds: /no-floating-promises[\s\S]*floating\.test\.ts/,
    },
    {
      gate: "lint",
      name: "the time read outside of its home",
      file: "src/base/hasty.test.ts",
      text: "Date.now();\n",
      finds: /hasty\.test\.ts[\s\S]*Take a Clock/,
    },
    {
      gate: "types",
      name: "a wrong type",
      file: "src/base/wrong.test.ts",
      text: `export const wrong: number = "text";\n`,
      finds: /wrong\.test\.ts.*TS2322/,
    },
    {
      gate: "layers",
      name: "an import upwards",
      file: "src/base/upwards.test.ts",
      text: `import "../files/writer.ts";\n`,
      finds: /upwards\.test\.ts:1 base must not import files/,
    },
    {
      gate: "unused",
      name: "an export that nobody uses",
      file: "src/base/sum.ts",
      text: "export function sum(): void {}\n\nexport function idle(): void {}\n",
      finds: /idle/,
    },
    {
      gate: "docs",
      name: "a link to nowhere",
      file: "README.md",
      text: "[a](gone.md)\n",
      finds: /README\.md:1 links to gone\.md/,
    },
  ];

async function check(dir: TempDir, only?: string): Promise<{ ok: boolean; text: string }> {
  const lines: string[] = [];
  const ok = await runChecks({
    root: dir.path,
    ...(only !== undefined && { only }),
    color: false,
    print: (line) => lines.push(line),
  });
  return { ok, text: lines.join("\n") };
}

describe("the gates", () => {
  it("all pass in a project without a fault", async () => {
    using dir = project();

    const { ok, text } = await check(dir);

    assert.ok(ok, text);
    assert.match(text, /\n7 gates passed, 0 gates failed$/);
    assert.ok(!text.includes("\u001b"), "no colour without a terminal");
  });

  for (const { gate, name, file, text, finds } of faults) {
    it(`${gate} finds ${name}`, async () => {
      using dir = project();
      dir.write({ [file]: text });

      const outcome = await check(dir, gate);

      assert.equal(outcome.ok, false, outcome.text);
      assert.match(outcome.text, finds);
      assert.match(outcome.text, /\n0 gates passed, 1 gates failed$/);
    });
  }

  it("list the output of all that failed together, after the lines of all", async () => {
    using dir = project();
    dir.write({ "README.md": "[a](gone.md)\n", "src/utils/x.ts": "export {};\n" });

    const { text } = await check(dir);

    assert.match(text, /^docs +FAILED[\s\S]*── docs ──/m);
    assert.match(text, /^layers +FAILED[\s\S]*── layers ──\nsrc\/utils:1 is not a layer/m);
    assert.ok(text.indexOf("──") > text.search(/^types +/m), text);
  });

  it("refuse a name that none of them has", async () => {
    using dir = tempDir();

    const { ok, text } = await check(dir, "spelling");

    assert.equal(ok, false);
    assert.match(text, /Cannot check "spelling": the gates are format, lint, types/);
  });
});
