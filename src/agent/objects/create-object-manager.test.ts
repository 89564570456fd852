import { equal, ok, rejects, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { CachedObjects } from "./cached-objects.ts";
import { type ChangeDetectionStrategy, createObjectManager } from "./create-object-manager.ts";
import { FetchedObjects } from "./fetched-objects.ts";
import { NoObjects } from "./no-objects.ts";
import { testParts } from "./testing/managed-objects.ts";
import { WatchObjects } from "./watch-objects.ts";

describe("createObjectManager", () => {
  it("makes the strategies by the kubelet's names", () => {
    ok(createObjectManager("Watch", testParts()) instanceof WatchObjects);
    ok(createObjectManager("Cache", testParts()) instanceof CachedObjects);
    ok(createObjectManager("Get", testParts()) instanceof FetchedObjects);
  });

  it("knows no other", () => {
    throws(() => createObjectManager("Poll" as ChangeDetectionStrategy, testParts()), {
      message: "unknown configmap and secret manager mode: Poll",
    });
  });
});

describe("NoObjects", () => {
  it("has nothing, in the kubelet's words", async () => {
    const objects = new NoObjects();
    await rejects(objects.get(), {
      message: "not supported due to running kubelet in standalone mode",
    });
    equal(objects.peek(), "unknown");
  });
});
