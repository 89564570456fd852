import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod } from "../../api/types.ts";
import { podChange } from "./pod-change.ts";
import { testContainer, testPod } from "./testing/test-pod.ts";

const old = testPod({ metadata: { annotations: { a: "1" }, labels: { l: "1" } } });
const changed = (metadata: Pod["metadata"], rest: Partial<Pod> = {}): Pod => ({
  ...old,
  ...rest,
  metadata: { ...old.metadata, ...metadata },
});

const cases: readonly (readonly [name: string, pod: Pod, expected: string])[] = [
  ["an annotation with another value", changed({ annotations: { a: "2" } }), "update"],
  ["an annotation more", changed({ annotations: { a: "1", b: "1" } }), "update"],
  ["an annotation less", changed({ annotations: {} }), "update"],
  ["a label with another value", changed({ labels: { l: "2" } }), "update"],
  [
    "another image",
    changed({}, { spec: { ...old.spec, containers: [testContainer("app", "b")] } }),
    "update",
  ],
  ["another status", changed({}, { status: { phase: "Running" } }), "reconcile"],
  ["another version of the same", changed({ resourceVersion: "9" }), "reconcile"],
  [
    "an annotation of the agent itself",
    changed({ annotations: { a: "1", "kubernetes.io/config.seen": "now" } }),
    "reconcile",
  ],
  [
    "a time of deletion",
    changed({ deletionTimestamp: "2024-01-01T00:00:30Z", deletionGracePeriodSeconds: 30 }),
    "delete",
  ],
];

describe("podChange", () => {
  for (const [name, pod, expected] of cases) {
    it(`takes ${name} for ${expected}`, () => {
      assert.equal(podChange(old, pod), expected);
    });
  }

  it("takes a shorter grace period for another deletion", () => {
    const deleted = changed({ deletionTimestamp: "x", deletionGracePeriodSeconds: 30 });
    const forced = changed({ deletionTimestamp: "x", deletionGracePeriodSeconds: 1 });

    assert.equal(podChange(deleted, forced), "delete");
    assert.equal(podChange(deleted, deleted), "reconcile");
  });
});
