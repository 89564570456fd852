// Which nodes a pod can be on, and with which words it is told that it can be on none.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Affinity, NodeSelectorTerm, Taint, Toleration } from "../../api/types.ts";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import { placePod } from "./place-pod.ts";
import {
  cluster,
  type NodeTraits,
  node,
  outcome,
  type PodTraits,
  place,
  pod,
} from "./testing/scheduling-objects.ts";

const taint = (key: string, value: string, effect: string): Taint => ({ key, value, effect });

function nodeAffinity(...terms: readonly NodeSelectorTerm[]): Affinity {
  const nodeSelectorTerms = [...terms];
  return {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  };
}

function expression(key: string, operator: string, ...values: string[]): NodeSelectorTerm {
  return { matchExpressions: [{ key, operator, ...(values.length > 0 && { values }) }] };
}

/** Where one pod goes on one node "a". */
function alone(nodeTraits: NodeTraits, podTraits: PodTraits): string {
  return outcome(pod("p", podTraits), cluster([node("a", nodeTraits)]));
}

const none = (reason: string): string => `0/1 nodes are available: 1 ${reason}.`;

describe("a pod that is kept off a node", () => {
  const mismatch = none("node(s) didn't match Pod's node affinity/selector");
  const tainted = none("node(s) had untolerated taint(s)");
  const noSchedule = [taint("k", "v", "NoSchedule")];
  const withToleration = (...tolerations: Toleration[]): PodTraits => ({ spec: { tolerations } });
  const cases: readonly (readonly [string, NodeTraits, PodTraits, string])[] = [
    ["an empty node takes it", {}, {}, "a"],
    ["a cordoned node does not", { unschedulable: true }, {}, none("node(s) were unschedulable")],
    [
      "a cordoned node takes one that tolerates that",
      { unschedulable: true },
      withToleration({ key: "node.kubernetes.io/unschedulable", operator: "Exists" }),
      "a",
    ],
    ["a taint NoSchedule", { taints: noSchedule }, {}, tainted],
    ["a taint NoExecute", { taints: [taint("k", "v", "NoExecute")] }, {}, tainted],
    [
      "a taint PreferNoSchedule is no obstacle",
      { taints: [taint("k", "v", "PreferNoSchedule")] },
      {},
      "a",
    ],
    [
      "a taint without a value",
      { taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }] },
      {},
      none("node(s) had untolerated taint(s)"),
    ],
    [
      "equal key and value are tolerated",
      { taints: noSchedule },
      withToleration({ key: "k", value: "v" }),
      "a",
    ],
    [
      "another value is not",
      { taints: noSchedule },
      withToleration({ key: "k", operator: "Equal", value: "w" }),
      tainted,
    ],
    [
      "Exists takes any value",
      { taints: noSchedule },
      withToleration({ key: "k", operator: "Exists" }),
      "a",
    ],
    [
      "Exists without a key takes everything",
      { taints: noSchedule },
      withToleration({ operator: "Exists" }),
      "a",
    ],
    [
      "another effect is not tolerated",
      { taints: noSchedule },
      withToleration({ key: "k", operator: "Exists", effect: "NoExecute" }),
      tainted,
    ],
    [
      "an operator that nobody knows",
      { taints: noSchedule },
      withToleration({ key: "k", operator: "Is", value: "v" }),
      tainted,
    ],
    [
      "nodeSelector matches",
      { labels: { disk: "ssd" } },
      { spec: { nodeSelector: { disk: "ssd" } } },
      "a",
    ],
    [
      "nodeSelector with another value",
      { labels: { disk: "hdd" } },
      { spec: { nodeSelector: { disk: "ssd" } } },
      mismatch,
    ],
    ["nodeSelector with a missing label", {}, { spec: { nodeSelector: { disk: "" } } }, mismatch],
    [
      "In",
      { labels: { z: "1" } },
      { affinity: nodeAffinity(expression("z", "In", "1", "2")) },
      "a",
    ],
    [
      "In, not",
      { labels: { z: "3" } },
      { affinity: nodeAffinity(expression("z", "In", "1", "2")) },
      mismatch,
    ],
    [
      "NotIn",
      { labels: { z: "1" } },
      { affinity: nodeAffinity(expression("z", "NotIn", "1")) },
      mismatch,
    ],
    [
      "NotIn of a missing label",
      {},
      { affinity: nodeAffinity(expression("z", "NotIn", "1")) },
      "a",
    ],
    ["Exists", { labels: { z: "1" } }, { affinity: nodeAffinity(expression("z", "Exists")) }, "a"],
    ["Exists, not", {}, { affinity: nodeAffinity(expression("z", "Exists")) }, mismatch],
    ["DoesNotExist", {}, { affinity: nodeAffinity(expression("z", "DoesNotExist")) }, "a"],
    [
      "DoesNotExist, not",
      { labels: { z: "" } },
      { affinity: nodeAffinity(expression("z", "DoesNotExist")) },
      mismatch,
    ],
    [
      "Gt",
      { labels: { cores: "9" } },
      { affinity: nodeAffinity(expression("cores", "Gt", "8")) },
      "a",
    ],
    [
      "Gt compares numbers, not texts",
      { labels: { cores: "10" } },
      { affinity: nodeAffinity(expression("cores", "Gt", "9")) },
      "a",
    ],
    [
      "Gt of a word",
      { labels: { cores: "many" } },
      { affinity: nodeAffinity(expression("cores", "Gt", "8")) },
      mismatch,
    ],
    [
      "Lt",
      { labels: { cores: "8" } },
      { affinity: nodeAffinity(expression("cores", "Lt", "8")) },
      mismatch,
    ],
    [
      "one of several terms is enough",
      { labels: { z: "2" } },
      { affinity: nodeAffinity(expression("z", "In", "1"), expression("z", "In", "2")) },
      "a",
    ],
    [
      "all expressions of a term have to hold",
      { labels: { z: "1" } },
      {
        affinity: nodeAffinity({
          matchExpressions: [
            { key: "z", operator: "Exists" },
            { key: "y", operator: "Exists" },
          ],
        }),
      },
      mismatch,
    ],
    ["a term without anything matches nothing", {}, { affinity: nodeAffinity({}) }, mismatch],
    ["no term at all matches nothing", {}, { affinity: nodeAffinity() }, mismatch],
    [
      "an operator that is none",
      { labels: { z: "1" } },
      { affinity: nodeAffinity(expression("z", "Like", "1")) },
      mismatch,
    ],
    [
      "nodeSelector and affinity have to hold together",
      { labels: { z: "1" } },
      { spec: { nodeSelector: { y: "1" } }, affinity: nodeAffinity(expression("z", "In", "1")) },
      mismatch,
    ],
    [
      "its name",
      {},
      {
        affinity: nodeAffinity({
          matchFields: [{ key: "metadata.name", operator: "In", values: ["a"] }],
        }),
      },
      "a",
    ],
    [
      "not its name",
      {},
      {
        affinity: nodeAffinity({
          matchFields: [{ key: "metadata.name", operator: "NotIn", values: ["a"] }],
        }),
      },
      mismatch,
    ],
    [
      "another name",
      {},
      {
        affinity: nodeAffinity({
          matchFields: [{ key: "metadata.name", operator: "In", values: ["b"] }],
        }),
      },
      none("node(s) didn't satisfy plugin(s) [NodeAffinity]"),
    ],
    [
      "two names at once",
      {},
      {
        affinity: nodeAffinity({
          matchFields: [
            { key: "metadata.name", operator: "In", values: ["a"] },
            { key: "metadata.name", operator: "In", values: ["b"] },
          ],
        }),
      },
      "0/1 nodes are available: pod affinity terms conflict.",
    ],
    ["cpu", { has: { cpu: "1" } }, { asks: { cpu: "1001m" } }, none("Insufficient cpu")],
    ["exactly as much cpu as there is", { has: { cpu: "1" } }, { asks: { cpu: "1000m" } }, "a"],
    [
      "memory",
      { has: { memory: "1Gi" } },
      { asks: { memory: "1025Mi" } },
      none("Insufficient memory"),
    ],
    [
      "ephemeral storage",
      {},
      { asks: { "ephemeral-storage": "11Gi" } },
      none("Insufficient ephemeral-storage"),
    ],
    [
      "something special",
      {},
      { asks: { "example.com/gpu": "1" } },
      none("Insufficient example.com/gpu"),
    ],
    [
      "something special that is there",
      { has: { "example.com/gpu": "1" } },
      { asks: { "example.com/gpu": "1" } },
      "a",
    ],
    ["no place for any pod", { has: { pods: "0" } }, {}, none("Too many pods")],
    [
      "several things at once",
      { has: { cpu: "1", memory: "1Gi" } },
      { asks: { cpu: "2", memory: "2Gi" } },
      "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory.",
    ],
    ["nothing asked of a node that is overcommitted", { has: { cpu: "0" } }, {}, "a"],
    [
      "the first obstacle is the one that is told",
      { unschedulable: true, taints: noSchedule, has: { cpu: "1" } },
      { asks: { cpu: "2" } },
      none("node(s) were unschedulable"),
    ],
  ];
  for (const [name, nodeTraits, podTraits, expected] of cases) {
    it(name, () => assert.equal(alone(nodeTraits, podTraits), expected));
  }
});

describe("what is on a node already", () => {
  it("takes up its resources", () => {
    const state = cluster([node("a", { has: { cpu: "1" } })], {
      a: [pod("x", { asks: { cpu: "600m" } })],
    });
    assert.equal(outcome(pod("p", { asks: { cpu: "500m" } }), state), none("Insufficient cpu"));
    assert.equal(outcome(pod("p", { asks: { cpu: "400m" } }), state), "a");
  });

  it("gives them back when it goes", () => {
    const held = pod("x", { asks: { cpu: "600m" }, hostPort: 80 });
    const state = cluster([node("a", { has: { cpu: "1" } })], { a: [held] });
    state.remove(held.uid);
    assert.equal(outcome(pod("p", { asks: { cpu: "1" }, hostPort: 80 }), state), "a");
  });

  it("still counts when its node was away and comes back", () => {
    const state = cluster([node("a", { has: { pods: "1" } })], { a: [pod("x")] });
    state.deleteNode("a");
    assert.equal(outcome(pod("p"), state), "no nodes available to schedule pods");
    state.setNode(node("a", { has: { pods: "1" } }));
    assert.equal(outcome(pod("p"), state), none("Too many pods"));
  });

  it("keeps its host ports", () => {
    const state = cluster([node("a")], { a: [pod("x", { hostPort: 80 })] });
    const taken = none("node(s) didn't have free ports for the requested pod ports");
    assert.equal(outcome(pod("p", { hostPort: 80 }), state), taken);
    assert.equal(outcome(pod("p", { hostPort: 81 }), state), "a");
    assert.equal(outcome(pod("p"), state), "a");
  });
});

describe("a message about several nodes", () => {
  it("counts the reasons and sorts them as texts", () => {
    const state = cluster([
      node("a", { taints: [taint("k", "v", "NoSchedule")] }),
      node("b", { has: { cpu: "1" } }),
      node("c", { has: { cpu: "1", pods: "0" } }),
      node("d", { unschedulable: true }),
    ]);
    assert.equal(
      outcome(pod("p", { asks: { cpu: "2" } }), state),
      "0/4 nodes are available: 1 Too many pods, 1 node(s) had untolerated taint(s), " +
        "1 node(s) were unschedulable, 2 Insufficient cpu.",
    );
  });

  it("tells of the nodes that the pod does not name", () => {
    const state = cluster([node("a", { has: { cpu: "1" } }), node("b"), node("c")]);
    const affinity = nodeAffinity({
      matchFields: [{ key: "metadata.name", operator: "In", values: ["a"] }],
    });
    assert.equal(
      outcome(pod("p", { affinity, asks: { cpu: "2" } }), state),
      "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
    );
  });

  it("comes with what would have to change", () => {
    const state = cluster([node("a", { has: { cpu: "1" } }), node("b", { unschedulable: true })]);
    const placement = place(pod("p", { asks: { cpu: "2" } }), state);
    assert.deepEqual("blockers" in placement && [...placement.blockers].sort(), [
      "resources",
      "unschedulable",
    ]);
  });
});

describe("of several nodes", () => {
  it("the one with more room is taken", () => {
    const state = cluster([node("a"), node("b"), node("c")], {
      a: [pod("x", { asks: { cpu: "2" } })],
      c: [pod("y", { asks: { memory: "4Gi" } })],
    });
    assert.equal(outcome(pod("p", { asks: { cpu: "1" } }), state), "b");
  });

  it("equal ones are chosen by chance, and the same seed chooses the same", () => {
    const state = cluster([node("a"), node("b"), node("c")]);
    const choose = (seed: number): unknown => placePod(pod("p"), state, seededRandom(seed));
    const chosen = Array.from({ length: 30 }, (_, seed) => choose(seed));
    assert.equal(new Set(chosen.map((one) => JSON.stringify(one))).size, 3);
    assert.deepEqual(
      Array.from({ length: 30 }, (_, seed) => choose(seed)),
      chosen,
    );
  });

  it("the one that the pod prefers is taken before the one with more room", () => {
    const state = cluster([node("a"), node("b", { labels: { disk: "ssd" } })], {
      b: [pod("x", { asks: { cpu: "3" } })],
    });
    const preference = expression("disk", "In", "ssd");
    const preferred = [{ weight: 1, preference }];
    const affinity = {
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred },
    };
    assert.equal(outcome(pod("p", { affinity }), state), "b");
  });

  it("the one that asks to be avoided is avoided, and taken if there is no other", () => {
    const avoided = node("a", { taints: [taint("k", "v", "PreferNoSchedule")] });
    assert.equal(outcome(pod("p"), cluster([avoided, node("b")])), "b");
    assert.equal(outcome(pod("p"), cluster([avoided])), "a");
  });
});

describe("a thousand pods on a hundred nodes", () => {
  it("are placed within a few seconds of processor time, each node getting ten", () => {
    const nodes = Array.from({ length: 100 }, (_, i) => node(`n${i}`, { has: { cpu: "10" } }));
    const state = cluster(nodes);
    const random = seededRandom(7);
    const before = process.cpuUsage();
    for (let i = 0; i < 1000; i++) {
      const one = pod(`p${i}`, { asks: { cpu: "1" }, controller: "rs", labels: { app: "web" } });
      const placement = placePod(one, state, random);
      assert.ok("node" in placement);
      state.place(one, placement.node);
    }
    const { user, system } = process.cpuUsage(before);
    assert.deepEqual(new Set(state.nodes.map(({ podCount }) => podCount)), new Set([10]));
    assert.ok(user + system < 5_000_000, `${(user + system) / 1000} ms`);
  });
});
