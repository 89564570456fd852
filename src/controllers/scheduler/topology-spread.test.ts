// How pods are spread over zones and machines, by demand and by preference.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PodSpec, TopologySpreadConstraint } from "../../api/types.ts";
import type { ClusterState } from "./cluster-state.ts";
import type { SchedulableNode } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import { cluster, node, outcome, pod } from "./testing/scheduling-objects.ts";
import { spreadScores } from "./topology-spread.ts";

const ZONE = "topology.kubernetes.io/zone";
const HOST = "kubernetes.io/hostname";
const labels = { app: "web" };
const web = { matchLabels: labels };

function constraint(more: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint {
  const whenUnsatisfiable = "DoNotSchedule";
  return { maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable, labelSelector: web, ...more };
}

function spread(
  constraints: readonly TopologySpreadConstraint[],
  more: Partial<PodSpec> & { readonly podLabels?: Record<string, string> } = {},
): PodInfo {
  const { podLabels = labels, ...spec } = more;
  return pod("p", {
    labels: podLabels,
    spec: { topologySpreadConstraints: [...constraints], ...spec },
  });
}

function webs(count: number, more: { isGoing?: boolean; namespace?: string } = {}): PodInfo[] {
  return Array.from({ length: count }, (_, i) => pod(`w${i}`, { labels, ...more }));
}

const zoned = (name: string, zone: string): SchedulableNode =>
  node(name, { labels: { [ZONE]: zone } });

/** Two nodes in zone 1 with `one` and 0 pods, one in zone 2 with `two`. */
function twoZones(one: readonly PodInfo[], two: readonly PodInfo[]): ClusterState {
  const nodes = [zoned("a1", "1"), zoned("a2", "1"), zoned("b1", "2")];
  return cluster(nodes, { a1: one, b1: two });
}

const tooMany = "node(s) didn't match pod topology spread constraints";

describe("a demand to be spread", () => {
  it("sends the pod to the zone that has fewer", () => {
    assert.equal(outcome(spread([constraint()]), twoZones(webs(2), webs(1))), "b1");
  });

  it("lets it go anywhere as long as the difference stays within maxSkew", () => {
    const state = twoZones(webs(2), webs(2));
    assert.match(outcome(spread([constraint()]), state), /^[ab]\d$/);
    const far = outcome(spread([constraint({ maxSkew: 3 })]), twoZones(webs(2), webs(0)));
    assert.match(far, /^[ab]\d$/);
  });

  it("is told of when nothing satisfies it", () => {
    const nodes = [zoned("a", "1"), node("b", { labels: { [ZONE]: "2" }, has: { pods: "0" } })];
    assert.equal(
      outcome(spread([constraint()]), cluster(nodes, { a: webs(1) })),
      `0/2 nodes are available: 1 Too many pods, 1 ${tooMany}.`,
    );
  });

  it("keeps pods off nodes without the label", () => {
    assert.equal(
      outcome(spread([constraint()]), cluster([node("a")])),
      `0/1 nodes are available: 1 ${tooMany} (missing required label).`,
    );
  });

  it("does not count pods that are going, or of other namespaces, or with other labels", () => {
    const others = [...webs(3, { isGoing: true }), ...webs(3, { namespace: "x" }), pod("y")];
    assert.equal(outcome(spread([constraint()]), twoZones(others, webs(1))).slice(0, 1), "a");
  });

  it("does not count the pod itself if it is not one of them", () => {
    const state = twoZones(webs(1), webs(0));
    const other = spread([constraint()], { podLabels: {} });
    assert.match(outcome(other, state), /^[ab]\d$/);
  });

  it("takes the least as 0 while there are fewer zones than minDomains", () => {
    const state = cluster([zoned("a", "1"), zoned("b", "2")], { a: webs(1), b: webs(1) });
    const refused = `0/2 nodes are available: 2 ${tooMany}.`;
    assert.equal(outcome(spread([constraint({ minDomains: 3 })]), state), refused);
    assert.match(outcome(spread([constraint({ minDomains: 2 })]), state), /^[ab]$/);
  });

  it("looks only at zones that the pod may be in, unless told otherwise", () => {
    const state = twoZones(webs(1), webs(0));
    const nodeSelector = { [ZONE]: "1" };
    assert.match(outcome(spread([constraint()], { nodeSelector }), state), /^a/);
    assert.equal(
      outcome(spread([constraint({ nodeAffinityPolicy: "Ignore" })], { nodeSelector }), state),
      `0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 2 ${tooMany}.`,
    );
  });

  it("looks at zones behind taints, unless told otherwise", () => {
    const taints = [{ key: "k", effect: "NoSchedule" }];
    const nodes = [zoned("a", "1"), node("b", { labels: { [ZONE]: "2" }, taints })];
    const state = cluster(nodes, { a: webs(1) });
    assert.equal(
      outcome(spread([constraint()]), state),
      `0/2 nodes are available: 1 ${tooMany}, 1 node(s) had untolerated taint(s).`,
    );
    assert.equal(outcome(spread([constraint({ nodeTaintsPolicy: "Honor" })]), state), "a");
  });

  it("counts only pods with the same values of matchLabelKeys", () => {
    const old = Array.from({ length: 3 }, (_, i) =>
      pod(`o${i}`, { labels: { ...labels, hash: "1" } }),
    );
    const mine = { podLabels: { ...labels, hash: "2" } };
    const fresh = pod("f", { labels: { ...labels, hash: "2" } });
    const state = twoZones(old, [fresh]);
    const one = spread([constraint({ matchLabelKeys: ["hash"] })], mine);
    assert.match(outcome(one, state), /^a/);
    assert.equal(outcome(spread([constraint()], mine), state), "b1");
  });

  it("has to hold together with others", () => {
    const state = twoZones(webs(1), webs(1));
    const both = [constraint(), constraint({ topologyKey: HOST })];
    assert.equal(outcome(spread(both), state), "a2");
  });
});

describe("a preference to be spread", () => {
  const anyway = (more: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint =>
    constraint({ whenUnsatisfiable: "ScheduleAnyway", ...more });

  it("scores zones by how few they have", () => {
    const state = twoZones(webs(3), webs(1));
    // ln(4) · 3 = 4.16 and ln(4) · 1 = 1.39, rounded 4 and 1; the most gets 100 · 1 / 4.
    assert.deepEqual(spreadScores(spread([anyway()]), state, state.nodes), [25, 25, 100]);
  });

  it("scores machines by their own pods", () => {
    const state = twoZones(webs(2), webs(1));
    const scores = spreadScores(spread([anyway({ topologyKey: HOST })]), state, state.nodes);
    // ln(5) · 2 = 3.22 and ln(5) · 1 = 1.61, rounded 3 and 2.
    assert.deepEqual(scores, [0, 100, 33]);
  });

  it("gives nothing to nodes without the label", () => {
    const state = cluster([zoned("a", "1"), node("b")], { a: webs(1) });
    assert.deepEqual(spreadScores(spread([anyway()]), state, state.nodes), [100, 0]);
  });

  it("is the same for all where there is nothing yet", () => {
    const state = twoZones([], []);
    assert.deepEqual(spreadScores(spread([anyway()]), state, state.nodes), [100, 100, 100]);
  });

  it("minds a difference less when a larger skew is allowed", () => {
    const state = twoZones(webs(3), webs(1));
    const scores = spreadScores(spread([anyway({ maxSkew: 5 })]), state, state.nodes);
    assert.deepEqual(scores, [62, 62, 100]);
  });

  it("does not keep a pod from the only node that is left", () => {
    const state = cluster([zoned("a", "1")], { a: webs(5) });
    assert.equal(outcome(spread([anyway()]), state), "a");
  });
});

describe("pods of one controller that wish for nothing", () => {
  const of = (uid: string, isGoing = false): PodInfo => pod("p", { controller: uid, isGoing });

  it("are spread over nodes", () => {
    const state = cluster([node("a"), node("b")], { a: [of("rs"), of("rs")], b: [of("rs")] });
    const [a = 0, b = 0] = spreadScores(of("rs"), state, state.nodes) ?? [];
    assert.ok(a < b);
  });

  it("are spread over zones where nodes are equal", () => {
    const state = twoZones([of("rs")], []);
    const [a1 = 0, a2 = 0, b1 = 0] = spreadScores(of("rs"), state, state.nodes) ?? [];
    assert.ok(a1 < a2 && a2 < b1, `${a1} ${a2} ${b1}`);
  });

  it("do not mind pods of others, or those that are going", () => {
    const state = cluster([node("a"), node("b")], { a: [of("other"), of("rs", true)] });
    assert.deepEqual(spreadScores(of("rs"), state, state.nodes), [100, 100]);
  });

  it("are not scored if they have no controller", () => {
    const state = cluster([node("a")]);
    assert.equal(spreadScores(pod("p"), state, state.nodes), undefined);
  });
});
