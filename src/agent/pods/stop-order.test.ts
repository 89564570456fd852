import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Container } from "../../api/types.ts";
import { stopsAfter } from "./stop-order.ts";
import { testContainer, testPod } from "./testing/test-pod.ts";

const side = (name: string): Container => ({ ...testContainer(name), restartPolicy: "Always" });
const pod = testPod({
  spec: {
    initContainers: [side("s1"), testContainer("i1"), side("s2"), side("s3")],
    containers: [testContainer("app"), testContainer("log")],
  },
});
const all = ["s1", "s2", "s3", "app", "log", "debug"];

describe("stopsAfter", () => {
  for (const [name, running, expected] of [
    ["app", all, []],
    ["debug", all, []],
    ["i1", ["s1", "i1"], []],
    ["s3", all, ["app", "log"]],
    ["s2", all, ["s3", "app", "log"]],
    ["s1", all, ["s2", "s3", "app", "log"]],
    ["s1", ["s1", "s3"], ["s3"]],
    ["s1", ["s1"], []],
  ] as const) {
    it(`stops ${name} of ${running.join(", ")} after ${expected.join(", ") || "nobody"}`, () => {
      assert.deepEqual(stopsAfter(pod, name, running), expected);
    });
  }
});
