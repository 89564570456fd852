import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type TempDir, tempDir } from "../src/base/testing/temp-dir.ts";
import { checkLayers, layers } from "./check-layers.ts";

const architecture = [
  "# How it is built",
  "",
  "| Layer | What lives there | May import |",
  "| --- | --- | --- |",
  ...[...layers].map(([layer, allowed]) => {
    const list = allowed === "everything" ? allowed : allowed.join(", ") || "nothing";
    return `| \`${layer}\` | things | ${list} |`;
  }),
  "",
].join("\n");

/** A tree that keeps all rules. */
function cleanTree(): TempDir {
  const dir = tempDir();
  dir.write({
    "ARCHITECTURE.md": architecture,
    "src/base/clock.ts": "export const clock = 1;",
    "src/base/testing/fake-clock.ts": `export * from "../clock.ts";`,
    "src/api/status.ts": "export interface Status {}",
    "src/api/status.test.ts": `import "node:test"; import "../base/testing/fake-clock.ts";`,
    "src/storage/sqlite/database.ts": `import "node:sqlite"; import "../../base/clock.ts";`,
    "src/storage/testing/store-contract.ts": `import "../../base/testing/fake-clock.ts";`,
    "src/apiserver/server.test.ts": `import "../storage/testing/store-contract.ts";`,
    "src/mounts/calls.ts": `import "koffi"; import "node:fs";`,
    "src/cmd/up.ts": `import "../apiserver/server.ts"; import "./flags.ts"; import "pino";`,
    "src/files/testdata/broken.ts": `import "../../cmd/up.ts";`,
    "packages/config/src/index.js": `import "node:fs"; import "./watch.js";`,
  });
  return dir;
}

const planted: readonly { name: string; files: Record<string, string>; offence: string }[] = [
  {
    name: "an import of a layer that is not listed",
    files: { "src/base/x.ts": `\nimport { y } from "../files/y.ts";` },
    offence: "src/base/x.ts:2 base must not import files (src/files/y.ts): may import nothing",
  },
  {
    name: "a type-only import",
    files: { "src/client/x.ts": `import type { Store } from "../storage/store.ts";` },
    offence:
      "src/client/x.ts:1 client must not import storage (src/storage/store.ts): may import base, api",
  },
  {
    name: "a re-export",
    files: { "src/files/x.ts": `export { Status } from "../api/status.ts";` },
    offence: "src/files/x.ts:1 files must not import api (src/api/status.ts): may import base",
  },
  {
    name: "a dynamic import",
    files: { "src/files/x.ts": `export const later = () => import("../api/status.ts");` },
    offence: "src/files/x.ts:1 files must not import api (src/api/status.ts): may import base",
  },
  {
    name: "an import inside a type",
    files: { "src/files/x.ts": `export type S = import("../api/status.ts").Status;` },
    offence: "src/files/x.ts:1 files must not import api (src/api/status.ts): may import base",
  },
  {
    name: "an import of cmd",
    files: { "src/agent/x.ts": `import "../cmd/up.ts";` },
    offence:
      "src/agent/x.ts:1 agent must not import cmd (src/cmd/up.ts): may import base, api, checks, client, controller, files, mounts, runtime, streams, reload",
  },
  {
    name: "a program that imports a program",
    files: { "src/sidecar/x.ts": `import "../cli/cli.ts";` },
    offence:
      "src/sidecar/x.ts:1 sidecar must not import cli (src/cli/cli.ts): may import base, api, checks, client, files, reload, streams",
  },
  {
    name: "a node: import in api",
    files: { "src/api/x.ts": `import { readFileSync } from "node:fs";` },
    offence: "src/api/x.ts:1 api must not import node:fs: it runs in browsers too",
  },
  {
    name: "a product file that imports a testing folder",
    files: { "src/client/x.ts": `import "../base/testing/fake-clock.ts";` },
    offence:
      "src/client/x.ts:1 must not import src/base/testing/fake-clock.ts: it is only for tests",
  },
  {
    name: "a product file that imports a test",
    files: { "src/api/x.ts": `import "./status.test.ts";` },
    offence: "src/api/x.ts:1 must not import src/api/status.test.ts: it is only for tests",
  },
  {
    name: "a test that imports the testing folder of a layer out of reach",
    files: { "src/client/x.test.ts": `import "../storage/testing/store-contract.ts";` },
    offence:
      "src/client/x.test.ts:1 client must not import storage (src/storage/testing/store-contract.ts): may import base, api",
  },
  {
    name: "a second home for node:sqlite",
    files: { "src/storage/sqlite/schema.ts": `import "node:sqlite";` },
    offence:
      "src/storage/sqlite/schema.ts:1 must not import node:sqlite: only src/storage/sqlite/database.ts does",
  },
  {
    name: "koffi outside of mounts",
    files: { "src/runtime/x.ts": `import koffi from "koffi";` },
    offence: "src/runtime/x.ts:1 must not import koffi: only src/mounts/ does",
  },
  {
    name: "a file outside of src",
    files: { "src/files/x.ts": `import "../../tools/check.ts";` },
    offence: "src/files/x.ts:1 must not import tools/check.ts: it is not in a layer of src",
  },
  {
    name: "a dependency of packages/config",
    files: { "packages/config/src/x.js": `import "yaml";` },
    offence:
      "packages/config/src/x.js:1 packages/config must not import yaml: it has no dependencies",
  },
  {
    name: "packages/config reaching into src",
    files: { "packages/config/src/x.js": `import "../../../src/base/clock.ts";` },
    offence:
      "packages/config/src/x.js:1 packages/config must not import src/base/clock.ts: it has no dependencies",
  },
  {
    name: "an unknown folder",
    files: { "src/utils/x.ts": "" },
    offence: "src/utils:1 is not a layer: add it to tools/check-layers.ts or move it",
  },
  {
    name: "a file directly in src",
    files: { "src/main.ts": "" },
    offence: "src/main.ts:1 is not a layer: add it to tools/check-layers.ts or move it",
  },
  {
    name: "a document that allows more than the check",
    files: {
      "ARCHITECTURE.md": architecture.replace(
        "`files` | things | base",
        "`files` | things | base, api",
      ),
    },
    offence: "ARCHITECTURE.md:12 says that files may import api, base: the check says base",
  },
  {
    name: "a document that lacks a layer",
    files: { "ARCHITECTURE.md": architecture.replace(/.*`reload`.*\n/, "") },
    offence: "ARCHITECTURE.md:3 lacks reload",
  },
  {
    name: "a document without the table",
    files: { "ARCHITECTURE.md": "# Soon\n" },
    offence: `ARCHITECTURE.md:1 has no table of layers: its header row starts with "| Layer"`,
  },
];

describe("checkLayers", () => {
  it("finds nothing in a tree that keeps the rules", () => {
    using dir = cleanTree();

    assert.deepEqual(checkLayers(dir.path), []);
  });

  for (const { name, files, offence } of planted) {
    it(`finds ${name}`, () => {
      using dir = cleanTree();
      dir.write(files);

      assert.deepEqual(checkLayers(dir.path), [offence]);
    });
  }

  it("misses the document when there is none", () => {
    using dir = tempDir();

    assert.match(checkLayers(dir.path).join(), /^ARCHITECTURE\.md:1 is missing/);
  });

  it("reads several layers in one row of the document", () => {
    using dir = cleanTree();
    const joined = architecture
      .replace(/\| `(audit|cli)` .*\n/g, "")
      .replace("`sidecar`", "`sidecar`, `audit`, `cli`");
    dir.write({ "ARCHITECTURE.md": joined });

    assert.deepEqual(checkLayers(dir.path), []);
  });
});
