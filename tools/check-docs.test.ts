import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type TempDir, tempDir } from "../src/base/testing/temp-dir.ts";
import { checkDocs } from "./check-docs.ts";

function manifest(overrides: Record<string, unknown> = {}): string {
  return JSON.stringify({
    scripts: { check: "true", "test:long": "true" },
    devDependencies: { node: "24.21.0" },
    engines: { node: ">=24.12" },
    ...overrides,
  });
}

/** Documents without a fault. */
function cleanTree(): TempDir {
  const dir = tempDir();
  dir.write({
    "package.json": manifest(),
    ".nvmrc": "24.21.0\n",
    "README.md": `# Driftless: *live* config

See [how](ARCHITECTURE.md#life-of-a-write), [here](#driftless-live-config), [code](src/a.ts#L3),
[the web](https://example.com/x), [twice](#twice-1), ![picture](docs/p.svg) and [ref].
Run \`npm run check\` or \`npm run test:long\`, not \`[a](b.md)\`.

\`\`\`
[not a link](nowhere.md)
# not a heading
\`\`\`

## Twice
## Twice

[ref]: docs/adr/0001-x.md
`,
    "ARCHITECTURE.md": "# How\n\n## Life of a `write`\n",
    "docs/adr/0001-x.md": "# 1. X\n\nSee [the readme](../../README.md).\n",
    "docs/p.svg": "",
    "src/a.ts": "",
  });
  return dir;
}

const planted: readonly { name: string; files: Record<string, string>; offence: RegExp }[] = [
  {
    name: "a link to a file that does not exist",
    files: { "docs/guide/x.md": "# X\n\nSee [a](../gone.md)." },
    offence: /^docs\/guide\/x\.md:3 links to \.\.\/gone\.md: docs\/gone\.md does not exist$/,
  },
  {
    name: "a link definition to a file that does not exist",
    files: { "CONTRIBUTING.md": "[a]: gone.md" },
    offence: /^CONTRIBUTING\.md:1 links to gone\.md/,
  },
  {
    name: "a link to a heading that does not exist",
    files: { "packages/config/README.md": "[a](../../ARCHITECTURE.md#death)" },
    offence: /^packages\/config\/README\.md:1 .*ARCHITECTURE\.md has no such heading$/,
  },
  {
    name: "a command that does not exist",
    files: { "CONTRIBUTING.md": "Run:\n\n```\nnpm run polish\n```\n" },
    offence: /^CONTRIBUTING\.md:4 has "npm run polish"/,
  },
  {
    name: "an ARCHITECTURE.md that is too long",
    files: { "ARCHITECTURE.md": `## Life of a write\n${"\n".repeat(200)}` },
    offence: /^ARCHITECTURE\.md:202 is too long/,
  },
  {
    name: "a Node in .nvmrc that is not the pinned one",
    files: { ".nvmrc": "24.20.0\n" },
    offence: /^\.nvmrc:1 says "24\.20\.0": devDependencies\.node/,
  },
  {
    name: "engines that exclude the pinned Node",
    files: { "package.json": manifest({ engines: { node: ">=24.22" } }) },
    offence: /^\.nvmrc:1 says "24\.21\.0": engines\.node/,
  },
];

describe("checkDocs", () => {
  it("finds nothing in documents that are true", () => {
    using dir = cleanTree();

    assert.deepEqual(checkDocs(dir.path), []);
  });

  for (const { name, files, offence } of planted) {
    it(`finds ${name}`, () => {
      using dir = cleanTree();
      dir.write(files);

      const offences = checkDocs(dir.path);

      assert.equal(offences.length, 1, offences.join("\n"));
      assert.match(offences[0] ?? "", offence);
    });
  }
});
