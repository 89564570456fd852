// Pods that want to be near others, or far from them, and others that have a say in it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Affinity, PodAffinityTerm } from "../../api/types.ts";
import { podAffinityScores } from "./pod-affinity.ts";
import type { PodInfo } from "./pod-info.ts";
import { cluster, node, outcome, type PodTraits, pod } from "./testing/scheduling-objects.ts";

const ZONE = "zone";
const HOST = "kubernetes.io/hostname";

function term(app: string, more: Partial<PodAffinityTerm> = {}): PodAffinityTerm {
  return { topologyKey: ZONE, labelSelector: { matchLabels: { app } }, ...more };
}

const near = (...terms: PodAffinityTerm[]): Affinity => ({
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const far = (...terms: PodAffinityTerm[]): Affinity => ({
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const likesNear = (weight: number, one: PodAffinityTerm): Affinity => ({
  podAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: one }],
  },
});
const likesFar = (weight: number, one: PodAffinityTerm): Affinity => ({
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: one }],
  },
});

const app = (name: string, more: PodTraits = {}): PodInfo =>
  pod(name, { labels: { app: name }, ...more });

const nodes = [
  node("a1", { labels: { [ZONE]: "1" } }),
  node("a2", { labels: { [ZONE]: "1" } }),
  node("b1", { labels: { [ZONE]: "2" } }),
];

const all = (reason: string): string => `0/3 nodes are available: 3 ${reason}.`;
const notNear = "node(s) didn't match pod affinity rules";
const tooNear = "node(s) didn't match pod anti-affinity rules";
const unwelcome = "node(s) didn't satisfy existing pods anti-affinity rules";

describe("a pod that demands to be near others", () => {
  it("goes where they are", () => {
    const state = cluster(nodes, { b1: [app("db")] });
    assert.equal(outcome(app("web", { affinity: near(term("db")) }), state), "b1");
  });

  it("finds no node where there are none", () => {
    const web = app("web", { affinity: near(term("db")) });
    assert.equal(outcome(web, cluster(nodes)), all(notNear));
  });

  it("may be the first of those that want to be together, but not on a node without the label", () => {
    const together = app("web", { affinity: near(term("web")) });
    assert.match(outcome(together, cluster(nodes)), /^[ab]\d$/);
    const bare = cluster([node("x")]);
    assert.equal(outcome(together, bare), `0/1 nodes are available: 1 ${notNear}.`);
  });

  it("joins those that it wants to be together with once there are some", () => {
    const together = app("web", { affinity: near(term("web")) });
    assert.equal(outcome(together, cluster(nodes, { b1: [app("web")] })), "b1");
  });

  it("needs one pod that all its terms mean, each in its own topology", () => {
    const affinity = near(term("db"), {
      topologyKey: HOST,
      labelSelector: { matchLabels: { tier: "x" } },
    });
    const both = pod("x", { labels: { app: "db", tier: "x" } });
    const state = cluster(nodes, {
      a1: [both],
      b1: [app("db"), pod("y", { labels: { tier: "x" } })],
    });
    assert.equal(outcome(app("web", { affinity }), state), "a1");
  });

  it("means its own namespace, unless it names others", () => {
    const state = cluster(nodes, { b1: [app("db", { namespace: "other" })] });
    assert.equal(outcome(app("web", { affinity: near(term("db")) }), state), all(notNear));
    const named = near(term("db", { namespaces: ["other"] }));
    assert.equal(outcome(app("web", { affinity: named }), state), "b1");
  });

  it("can choose namespaces by their labels, also when those change", () => {
    const state = cluster(nodes, { b1: [app("db", { namespace: "other" })] });
    const namespaceSelector = { matchLabels: { team: "x" } };
    const web = app("web", { affinity: near(term("db", { namespaceSelector })) });
    assert.equal(outcome(web, state), all(notNear));
    state.setNamespace("other", { team: "x" });
    assert.equal(outcome(web, state), "b1");
    state.setNamespace("other", { team: "y" });
    assert.equal(outcome(web, state), all(notNear));
  });

  it("means all namespaces with an empty selector of namespaces, and no pod without a selector", () => {
    const state = cluster(nodes, { b1: [app("db", { namespace: "other" })] });
    const everywhere = near(term("db", { namespaceSelector: {} }));
    assert.equal(outcome(app("web", { affinity: everywhere }), state), "b1");
    const nobody = near({ topologyKey: ZONE, namespaceSelector: {} });
    assert.equal(outcome(app("web", { affinity: nobody }), state), all(notNear));
  });
});

describe("a pod that demands to be far from others", () => {
  it("keeps out of their zone", () => {
    const state = cluster(nodes, { a1: [app("db")] });
    assert.equal(outcome(app("web", { affinity: far(term("db")) }), state), "b1");
  });

  it("keeps off their machine only, if that is what it says", () => {
    const state = cluster(nodes, { a1: [app("db")], b1: [app("db")] });
    const affinity = far(term("db", { topologyKey: HOST }));
    assert.equal(outcome(app("web", { affinity }), state), "a2");
  });

  it("finds no node where they are everywhere", () => {
    const state = cluster(nodes, { a1: [app("db")], b1: [app("db")] });
    assert.equal(outcome(app("web", { affinity: far(term("db")) }), state), all(tooNear));
  });

  it("is not disturbed by nodes that lack the label", () => {
    const state = cluster([node("x")], { x: [app("db")] });
    assert.equal(outcome(app("web", { affinity: far(term("db")) }), state), "x");
  });

  it("keeps others off in turn, as long as it is there", () => {
    const grumpy = app("db", { affinity: far(term("web")) });
    const state = cluster(nodes, { a1: [grumpy] });
    assert.equal(outcome(app("web"), state), "b1");
    state.place(app("db", { affinity: far(term("web")) }), "b1");
    assert.equal(outcome(app("web"), state), all(unwelcome));
    state.remove(grumpy.uid);
    assert.match(outcome(app("web"), state), /^a/);
  });
});

describe("a preference about other pods", () => {
  it("raises the nodes near those that it likes by their number", () => {
    const state = cluster(nodes, { a1: [app("db")], b1: [app("db"), app("db")] });
    const web = app("web", { affinity: likesNear(10, term("db")) });
    assert.deepEqual(podAffinityScores(web, state, state.nodes), [0, 0, 100]);
  });

  it("lowers those near to what it dislikes", () => {
    const state = cluster(nodes, { a1: [app("db")] });
    const web = app("web", { affinity: likesFar(10, term("db", { topologyKey: HOST })) });
    assert.deepEqual(podAffinityScores(web, state, state.nodes), [0, 100, 100]);
  });

  it("counts when those that are there have it about the pod", () => {
    const fan = app("db", { affinity: likesNear(5, term("web")) });
    const foe = app("db", { affinity: likesFar(5, term("web", { topologyKey: HOST })) });
    const state = cluster(nodes, { a1: [fan], a2: [foe] });
    assert.deepEqual(podAffinityScores(app("web"), state, state.nodes), [100, 0, 0]);
  });

  it("is also the demand of a pod that is there, with a weight of 1", () => {
    const fan = app("db", { affinity: near(term("web")) });
    const state = cluster(nodes, { b1: [fan] });
    assert.deepEqual(podAffinityScores(app("web"), state, state.nodes), [0, 0, 100]);
  });

  it("is no score at all if nobody has one", () => {
    const state = cluster(nodes, { b1: [app("db")] });
    assert.equal(podAffinityScores(app("web"), state, state.nodes), undefined);
  });
});
