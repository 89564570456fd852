// The scores of single nodes, in numbers.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PreferredSchedulingTerm, Taint } from "../../api/types.ts";
import { nodeAffinityScores } from "./node-affinity.ts";
import { proportional, ranged, reversed } from "./node-scores.ts";
import { leastAllocatedScores } from "./resource-fit.ts";
import { taintScores } from "./taints.ts";
import { cluster, infos, node, pod } from "./testing/scheduling-objects.ts";

describe("counts as scores", () => {
  it("are in proportion to the largest", () => {
    assert.deepEqual(proportional([0, 1, 2, 3]), [0, 33, 66, 100]);
    assert.deepEqual(proportional([0, 0]), [0, 0]);
  });

  it("are turned round where less is better", () => {
    assert.deepEqual(reversed([0, 1, 2]), [100, 50, 0]);
    assert.deepEqual(reversed([0, 0]), [100, 100]);
  });

  it("may be negative where they are ranged", () => {
    assert.deepEqual(ranged([-5, 0, 5]), [0, 50, 100]);
    assert.deepEqual(ranged([7, 7]), [0, 0]);
  });
});

describe("taintScores", () => {
  const prefer = (key: string): Taint => ({ key, effect: "PreferNoSchedule" });

  it("counts taints that ask to be avoided and are not tolerated", () => {
    const nodes = infos(
      node("a"),
      node("b", { taints: [prefer("x")] }),
      node("c", { taints: [prefer("x"), prefer("y")] }),
    );
    assert.deepEqual(taintScores(pod("p"), nodes), [100, 50, 0]);
    const tolerant = pod("p", { spec: { tolerations: [{ key: "x", operator: "Exists" }] } });
    assert.deepEqual(taintScores(tolerant, nodes), [100, 100, 0]);
  });

  it("does not take a toleration of another effect for one of these", () => {
    const nodes = infos(node("a"), node("b", { taints: [prefer("x")] }));
    const tolerations = [{ key: "x", operator: "Exists", effect: "NoSchedule" }];
    assert.deepEqual(taintScores(pod("p", { spec: { tolerations } }), nodes), [100, 0]);
  });
});

describe("nodeAffinityScores", () => {
  const prefers = (...preferred: PreferredSchedulingTerm[]): ReturnType<typeof pod> =>
    pod("p", {
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
    });
  const has = (key: string, weight: number): PreferredSchedulingTerm => ({
    weight,
    preference: { matchExpressions: [{ key, operator: "Exists" }] },
  });
  const nodes = infos(
    node("a"),
    node("b", { labels: { x: "1" } }),
    node("c", { labels: { x: "1", y: "1" } }),
  );

  it("adds up the weights of the terms that hold", () => {
    assert.deepEqual(nodeAffinityScores(prefers(has("x", 3), has("y", 1)), nodes), [0, 75, 100]);
  });

  it("gives nothing for a term without anything", () => {
    assert.deepEqual(nodeAffinityScores(prefers({ weight: 5, preference: {} }), nodes), [0, 0, 0]);
  });

  it("is not asked where nothing is preferred", () => {
    assert.equal(nodeAffinityScores(pod("p"), nodes), undefined);
  });
});

describe("leastAllocatedScores", () => {
  it("is what would be left of cpu and memory, on the average", () => {
    const { nodes } = cluster([
      node("a", { has: { cpu: "4", memory: "1000" } }),
      node("b", { has: { cpu: "10", memory: "2000" } }),
    ]);
    const asks = { cpu: "3", memory: "500" };
    // a: 25 and 50; b: 70 and 75.
    assert.deepEqual(leastAllocatedScores(pod("p", { asks }), nodes), [37, 72]);
  });

  it("counts a guess for containers that do not say", () => {
    const state = cluster([node("a", { has: { cpu: "1", memory: "800Mi" } })], { a: [pod("x")] });
    // 200 of 1000 thousandths and 400 of 800 Mi.
    assert.deepEqual(leastAllocatedScores(pod("p"), state.nodes), [65]);
  });

  it("is 0 for what is full, and leaves out what the node does not have", () => {
    const [full] = infos(node("a", { has: { cpu: "1", memory: "1Ki" } }));
    assert.ok(full !== undefined);
    assert.deepEqual(leastAllocatedScores(pod("p", { asks: { cpu: "1" } }), [full]), [0]);
    const { nodes } = cluster([node("b", { has: { cpu: "0", memory: "1000" } })]);
    assert.deepEqual(leastAllocatedScores(pod("p", { asks: { memory: "500" } }), nodes), [50]);
  });
});
