// The picture of the cluster: sums and counts that are kept up by what comes and goes are those that one would count anew.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { PodAffinityTerm } from "../../api/types.ts";
import { ClusterState } from "./cluster-state.ts";
import type { PodInfo } from "./pod-info.ts";
import type { PodQuestion } from "./pod-tallies.ts";
import { cluster, node, pod } from "./testing/scheduling-objects.ts";

const isWeb: PodQuestion = {
  key: "web",
  looksAtNamespaces: false,
  asks: ({ labels }) => labels["app"] === "web",
};

const term: PodAffinityTerm = {
  topologyKey: "zone",
  labelSelector: { matchLabels: { app: "web" } },
};
const far = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };

type Step =
  | { readonly do: "place"; readonly pod: number; readonly node: string }
  | { readonly do: "remove"; readonly pod: number }
  | { readonly do: "nodeComes" | "nodeGoes"; readonly node: string }
  | { readonly do: "ask" };

const nodeName = fc.constantFrom("a", "b", "c");
const podIndex = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("place" as const), pod: podIndex, node: nodeName }),
  fc.record({ do: fc.constant("remove" as const), pod: podIndex }),
  fc.record({ do: fc.constantFrom("nodeComes" as const, "nodeGoes" as const), node: nodeName }),
  fc.record({ do: fc.constant("ask" as const) }),
);

const pods: readonly PodInfo[] = Array.from({ length: 6 }, (_, i) =>
  pod(`p${i}`, {
    labels: { app: i % 2 === 0 ? "web" : "db" },
    asks: { cpu: `${i}` },
    controller: `rs${i % 3}`,
    hostPort: i,
    isGoing: i === 4,
    affinity: far,
  }),
);

function take(state: ClusterState, one: Step): void {
  switch (one.do) {
    case "ask":
      state.count(isWeb);
      break;
    case "nodeComes":
      state.setNode(node(one.node));
      break;
    case "nodeGoes":
      state.deleteNode(one.node);
      break;
    case "place":
      state.place(podAt(one.pod), one.node);
      break;
    case "remove":
      state.remove(podAt(one.pod).uid);
      break;
  }
}

function podAt(index: number): PodInfo {
  const info = pods[index];
  assert.ok(info !== undefined);
  return info;
}

function sorted(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

function picture(state: ClusterState): object {
  const holders = [...state.holders.requiredAnti.selecting(podAt(0), () => ({}))];
  return {
    nodes: state.nodes
      .map(({ name, podCount }) => {
        const info = state.node(name);
        const taken = pods.map(({ ports }) => ports.map((port) => info?.ports.isTaken(port)));
        return { name, podCount, cpu: info?.requested("cpu"), taken };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    web: sorted(state.count(isWeb)),
    controllers: ["rs0", "rs1", "rs2"].map((uid) => sorted(state.countOfController(uid))),
    holders: holders.map(([, counts]) => sorted(counts)),
  };
}

describe("ClusterState", () => {
  it("is after any changes what it would be if it had begun with their result", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const state = new ClusterState();
        for (const one of steps) take(state, one);
        const fresh = new ClusterState();
        for (const { name } of state.nodes) fresh.setNode(node(name));
        for (const info of pods) {
          const place = state.placeOf(info.uid);
          if (place !== undefined) fresh.place(info, place.node);
        }
        assert.deepEqual(picture(state), picture(fresh));
      }),
    );
  });

  it("keeps exact sums whatever pods ask for", () => {
    const greedy = Array.from({ length: 100 }, (_, i) =>
      pod(`p${i}`, {
        asks: { cpu: `${2 ** 50 - 1 - i}m`, "example.com/gpu": String(2 ** 50 - 1) },
      }),
    );
    const state = cluster([node("a")], { a: [...greedy, pod("modest", { asks: { cpu: "1" } })] });
    for (const { uid } of greedy) state.remove(uid);
    assert.equal(state.node("a")?.requested("cpu"), 1000);
    assert.equal(state.node("a")?.requested("example.com/gpu"), 0);
    assert.equal(state.node("a")?.podCount, 1);
  });

  it("moves a pod that turns out to be on another node", () => {
    const one = pod("p", { asks: { cpu: "1" } });
    const state = cluster([node("a"), node("b")], { a: [one] });
    state.place(one, "b");
    assert.equal(state.node("a")?.requested("cpu"), 0);
    assert.equal(state.node("b")?.requested("cpu"), 1000);
  });

  it("looks at all pods once for a question, and then only at those that come and go", () => {
    let looks = 0;
    const question: PodQuestion = {
      key: "counted",
      looksAtNamespaces: false,
      asks: () => {
        looks++;
        return true;
      },
    };
    const many = Array.from({ length: 100 }, (_, i) => pod(`p${i}`));
    const state = cluster([node("a")], { a: many });
    for (let i = 0; i < 10; i++) state.count(question);
    assert.equal(looks, 100);
    state.place(pod("new"), "a");
    assert.equal(state.count(question).get("a"), 101);
    assert.equal(looks, 101);
  });

  it("forgets questions that nobody asks any more", () => {
    let looks = 0;
    const asks = (): boolean => {
      looks++;
      return true;
    };
    const question = (key: string): PodQuestion => ({ key, looksAtNamespaces: false, asks });
    const state = cluster([node("a")], { a: [pod("p")] });
    for (let i = 0; i < 1000; i++) state.count(question(`q${i}`));
    looks = 0;
    state.place(pod("new"), "a");
    assert.equal(looks, 128);
    assert.equal(state.count(question("q0")).get("a"), 2);
  });
});
