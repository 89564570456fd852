import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { type TempDir, tempDir } from "../src/base/testing/temp-dir.ts";
import { checkDependencies } from "./dependencies.ts";

function project(locked: object = {}): TempDir {
  const dir = tempDir();
  dir.write({
    "package.json": JSON.stringify({ dependencies: { left: "1.0.0" } }),
    "package-lock.json": JSON.stringify({
      packages: {
        "": {},
        "node_modules/left": { version: "1.0.0", license: "MIT", dependencies: { pad: "1" } },
        "node_modules/pad": { version: "1.2.3", license: "MIT", ...locked },
      },
    }),
    "docs/adr/0006-libraries.md": "| left | for the left side |\n",
    "docs/dependencies.md": "",
  });
  return dir;
}

describe("checkDependencies", () => {
  it("is content after the list was written", () => {
    using dir = project();
    deepEqual(checkDependencies(dir.path, true), []);
    deepEqual(checkDependencies(dir.path, false), []);
  });

  it("finds a list that is old", () => {
    using dir = project();
    deepEqual(checkDependencies(dir.path, false), [
      "docs/dependencies.md is not up to date: run node tools/dependencies.ts --write",
    ]);
  });

  it("finds a dependency that nobody has justified", () => {
    using dir = project();
    dir.write({ "docs/adr/0006-libraries.md": "nothing" });
    deepEqual(checkDependencies(dir.path, true), [
      "left has no line in docs/adr/0006-libraries.md: say what it is for and what was compared",
    ]);
  });

  it("finds a package that wants to run a script when it is installed", () => {
    using dir = project({ hasInstallScript: true });
    deepEqual(checkDependencies(dir.path, true), [
      "pad runs a script when it is installed: allow it, or do without",
    ]);
  });
});
