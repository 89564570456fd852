import { equal } from "node:assert/strict";
import { describe, it } from "node:test";
import type { NodeObject } from "../agent/node/node-kinds.ts";
import { takesPods } from "./node-takes-pods.ts";

function node(status: string, ...taints: readonly string[]): NodeObject {
  return {
    metadata: { name: "n" },
    spec: { taints: taints.map((key) => ({ key, effect: "NoSchedule" })) },
    status: { conditions: [{ type: "Ready", status }] },
  } as unknown as NodeObject;
}

describe("takesPods", () => {
  it("is true of a node that is ready and keeps nobody away", () => {
    equal(takesPods(node("True")), true);
    equal(takesPods(node("False")), false);
    equal(takesPods(node("True", "node.kubernetes.io/not-ready")), false);
  });

  it("takes for wanted what somebody did on purpose", () => {
    equal(takesPods(node("True", "node.kubernetes.io/unschedulable", "team")), true);
  });
});
