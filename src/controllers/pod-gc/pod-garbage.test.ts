import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import {
  endedAbove,
  leftOnDeadNodes,
  missingNodes,
  neverScheduled,
  type StoredNode,
  type StoredPod,
} from "./pod-garbage.ts";

describe("endedAbove", () => {
  const pods = [
    pod("young", { phase: "Succeeded", made: "2024-01-03T00:00:00Z" }),
    pod("runs", { phase: "Running", made: "2024-01-01T00:00:00Z" }),
    pod("old-b", { phase: "Failed", made: "2024-01-01T00:00:00Z" }),
    pod("old-a", { phase: "Failed", made: "2024-01-01T00:00:00Z" }),
    pod("evicted", { phase: "Failed", reason: "Evicted", made: "2024-01-09T00:00:00Z" }),
    pod("waits", { phase: "Pending", made: "2024-01-01T00:00:00Z" }),
    pod("lost", { phase: "Unknown", made: "2024-01-01T00:00:00Z" }),
  ];
  const cases: readonly [threshold: number, chosen: readonly string[]][] = [
    [4, []],
    [3, ["evicted"]],
    [2, ["evicted", "old-a"]],
    [1, ["evicted", "old-a", "old-b"]],
    // As in the original: no limit.
    [0, []],
  ];
  for (const [threshold, chosen] of cases) {
    it(`chooses [${chosen.join(", ")}] of four when ${threshold} may stay`, () => {
      deepEqual(names(endedAbove(pods, threshold)), chosen);
    });
  }
});

describe("leftOnDeadNodes", () => {
  const cases: readonly [what: string, isChosen: boolean, pod: StoredPod, node?: StoredNode][] = [
    [
      "a node that is out of service",
      true,
      pod("p", { node: "n", isGoing: true }),
      node("False", true),
    ],
    [
      "a node that is not heard of",
      true,
      pod("p", { node: "n", isGoing: true }),
      node("Unknown", true),
    ],
    [
      "a node that is ready after all",
      false,
      pod("p", { node: "n", isGoing: true }),
      node("True", true),
    ],
    [
      "a node that may come back",
      false,
      pod("p", { node: "n", isGoing: true }),
      node("False", false),
    ],
    ["a node that is gone", false, pod("p", { node: "n", isGoing: true })],
    [
      "a node that is out of service, not deleted",
      false,
      pod("p", { node: "n" }),
      node("False", true),
    ],
  ];
  for (const [what, isChosen, one, on] of cases) {
    it(`${isChosen ? "chooses" : "leaves"} a pod on ${what}`, () => {
      deepEqual(names(leftOnDeadNodes([one], () => on)), isChosen ? ["p"] : []);
    });
  }
});

describe("neverScheduled", () => {
  it("chooses those that are on their way out and on no node", () => {
    const pods = [
      pod("a", { isGoing: true }),
      pod("b", { isGoing: true, node: "n" }),
      pod("c", {}),
    ];
    deepEqual(names(neverScheduled(pods)), ["a"]);
  });
});

describe("missingNodes", () => {
  it("finds each node once that is not there", () => {
    const pods = [
      pod("a", { node: "n" }),
      pod("b", { node: "x" }),
      pod("c", { node: "x" }),
      pod("d", {}),
    ];
    const found = missingNodes(pods, (name) => (name === "n" ? node("True", false) : undefined));
    deepEqual([...found], ["x"]);
  });
});

interface PodFacts {
  readonly phase?: string;
  readonly reason?: string;
  readonly made?: string;
  readonly node?: string;
  readonly isGoing?: boolean;
}

function pod(name: string, { phase, reason, made, node: nodeName, isGoing }: PodFacts): StoredPod {
  return {
    metadata: {
      name,
      creationTimestamp: made,
      ...(isGoing === true && { deletionTimestamp: "2024-01-01T00:00:00Z" }),
    },
    spec: { nodeName },
    status: { phase: phase ?? "Running", reason },
  } as StoredPod;
}

function node(status: string, isOutOfService: boolean): StoredNode {
  const taint = { key: "node.kubernetes.io/out-of-service", effect: "NoExecute" };
  return {
    metadata: { name: "n" },
    spec: { taints: isOutOfService ? [taint] : [] },
    status: { conditions: [{ type: "Ready", status }] },
  } as object as StoredNode;
}

function names(pods: readonly StoredPod[]): string[] {
  return pods.map(({ metadata }) => metadata.name ?? "");
}
