import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodSpec, Taint } from "../../api/types.ts";
import { placementOf } from "./placement.ts";
import { madeDaemonSet, madeNode } from "./testing/made-daemon-set.ts";

interface Case {
  readonly what: string;
  readonly template?: Partial<PodSpec>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: Taint[];
  /** "run": made and kept; "stay": kept; "no". */
  readonly is: "run" | "stay" | "no";
}

function affinity(term: object): Pick<PodSpec, "affinity"> {
  const required = { nodeSelectorTerms: [term] };
  return {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
  };
}

const named = (value: string): object => ({
  matchFields: [{ key: "metadata.name", operator: "In", values: [value] }],
});
const zoned = { matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] };
const mine: Taint = { key: "mine", value: "yes", effect: "NoSchedule" };

const cases: readonly Case[] = [
  { what: "any node", is: "run" },
  { what: "its nodeName", template: { nodeName: "n1" }, is: "run" },
  { what: "another nodeName", template: { nodeName: "n2" }, is: "no" },
  {
    what: "a selected label",
    template: { nodeSelector: { a: "b" } },
    labels: { a: "b" },
    is: "run",
  },
  { what: "a missing label", template: { nodeSelector: { a: "b" } }, is: "no" },
  { what: "affinity for its name", template: affinity(named("n1")), is: "run" },
  { what: "affinity for another name", template: affinity(named("n2")), is: "no" },
  { what: "affinity for its zone", template: affinity(zoned), labels: { zone: "a" }, is: "run" },
  { what: "affinity for another zone", template: affinity(zoned), labels: { zone: "b" }, is: "no" },
  { what: "an empty affinity term", template: affinity({}), is: "no" },
  { what: "a taint against new pods", taints: [mine], is: "stay" },
  {
    what: "a taint that is tolerated",
    template: { tolerations: [{ key: "mine", operator: "Equal", value: "yes" }] },
    taints: [mine],
    is: "run",
  },
  { what: "a taint against all pods", taints: [{ key: "out", effect: "NoExecute" }], is: "no" },
  { what: "a taint that asks only", taints: [{ key: "x", effect: "PreferNoSchedule" }], is: "run" },
  {
    what: "a node that is cordoned",
    taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }],
    is: "run",
  },
  {
    what: "a node that is not ready",
    taints: [
      { key: "node.kubernetes.io/not-ready", effect: "NoExecute" },
      { key: "node.kubernetes.io/unreachable", effect: "NoExecute" },
    ],
    is: "run",
  },
  {
    what: "a node that is new and not ready for the first time",
    taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }],
    is: "stay",
  },
  {
    what: "a node without network",
    taints: [{ key: "node.kubernetes.io/network-unavailable", effect: "NoSchedule" }],
    is: "stay",
  },
  {
    what: "a node without network, on the host's",
    template: { hostNetwork: true },
    taints: [{ key: "node.kubernetes.io/network-unavailable", effect: "NoSchedule" }],
    is: "run",
  },
];

for (const { what, template, labels, taints, is } of cases) {
  test(`Placement of a daemon: ${what}`, () => {
    const set = madeDaemonSet({ ...(template && { template }) });
    const node = madeNode("n1", { ...(labels && { labels }), ...(taints && { taints }) });
    assert.deepEqual(placementOf(set)(node), {
      shouldRun: is === "run",
      shouldContinue: is !== "no",
    });
  });
}
