import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { type GraphNode, newNode } from "./graph-node.ts";
import { type JudgedOwner, type Standing, type Verdict, verdictOn } from "./verdict.ts";

const background: Verdict = { do: "delete", policy: "Background", unblocks: false };
const foreground: Verdict = { do: "delete", policy: "Foreground", unblocks: false };

describe("verdictOn", () => {
  const cases: readonly [
    what: string,
    owners: readonly Standing[],
    verdict: Verdict,
    facts?: { readonly dependents?: readonly GraphNode[]; readonly finalizers?: string[] },
  ][] = [
    ["keeps what has no owner", [], { do: "keep" }],
    ["keeps what has an owner", ["solid"], { do: "keep" }],
    ["keeps what has two owners", ["solid", "solid"], { do: "keep" }],
    [
      "takes from it the owners that are gone or wait for it",
      ["dangling", "solid", "waiting"],
      { do: "release", uids: ["0", "2"] },
    ],
    ["deletes what has lost its owner", ["dangling"], background],
    [
      "deletes what has lost its owner, with dependents",
      ["dangling"],
      background,
      { dependents: [node()] },
    ],
    ["deletes what its owner waits for", ["waiting"], background],
    [
      "deletes what its owner waits for after its own dependents",
      ["waiting", "dangling"],
      foreground,
      { dependents: [node()] },
    ],
    [
      "breaks a circle of those who wait for each other",
      ["waiting"],
      { ...foreground, unblocks: true },
      { dependents: [node(), node(true)] },
    ],
    [
      "honours that dependents were to stay",
      ["dangling"],
      { ...background, policy: "Orphan" },
      { finalizers: ["orphan"] },
    ],
    [
      "honours that dependents were to go first",
      ["dangling"],
      foreground,
      { finalizers: ["foregroundDeletion"] },
    ],
  ];
  for (const [what, standings, verdict, { dependents = [], finalizers = [] } = {}] of cases) {
    it(what, () => {
      const owners = standings.map((standing, n): JudgedOwner => {
        const reference = { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: String(n) };
        return { reference, standing };
      });
      const latest = { metadata: { finalizers } };
      deepEqual(verdictOn(latest, owners, { dependents: new Set(dependents) }), verdict);
    });
  }
});

function node(isDeletingDependents = false): GraphNode {
  const identity = {
    apiVersion: "v1",
    kind: "ConfigMap",
    namespace: "default",
    name: "d",
    uid: "d",
  };
  return { ...newNode(identity, false), isDeletingDependents };
}
