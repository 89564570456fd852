import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hasVersionInName, kustomizeBase } from "./version-in-name.ts";

describe("a name with its content's version", () => {
  it("has kustomize's hash, hex digits or a number at its end", () => {
    for (const name of [
      "app-7k5c9bfm4t",
      "app-4f2a6c0e9d",
      "app-v2",
      "app-2026-01-05",
      "app-1.4.2",
    ]) {
      assert.equal(hasVersionInName(name), true, name);
    }
  });

  it("is not one that ends with a word", () => {
    for (const name of ["app", "app-config", "app-deadbeef", "my-facade", "settings-prod"]) {
      assert.equal(hasVersionInName(name), false, name);
    }
  });

  it("of kustomize has a name without it", () => {
    assert.equal(kustomizeBase("app-config-7k5c9bfm4t"), "app-config");
    assert.equal(kustomizeBase("app-config"), undefined);
  });
});
