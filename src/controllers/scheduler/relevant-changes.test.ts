import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PodSpec } from "../../api/types.ts";
import type { SchedulableNode } from "./node-info.ts";
import type { Blocker } from "./place-pod.ts";
import { changesOfNode, changesOfPod, hasChanged, isToPlace } from "./relevant-changes.ts";
import { type NodeTraits, node, type PodTraits, podObject } from "./testing/scheduling-objects.ts";

describe("a pod", () => {
  const cases: readonly (readonly [string, Partial<PodSpec>, boolean])[] = [
    ["without anything is ours to place", {}, true],
    ["with our name is ours", { schedulerName: "default-scheduler" }, true],
    ["of another scheduler is not", { schedulerName: "mine" }, false],
    ["on a node is not", { nodeName: "a" }, false],
    ["with gates is not", { schedulingGates: [{ name: "g" }] }, false],
  ];
  for (const [name, spec, expected] of cases) {
    it(name, () => assert.equal(isToPlace(podObject("p", { spec })), expected));
  }

  it("that is over is not ours to place", () => {
    assert.equal(isToPlace({ ...podObject("p"), status: { phase: "Failed" } }), false);
  });

  it("has not changed when only its status has", () => {
    const old = podObject("p");
    assert.equal(hasChanged(old, { ...old, status: { phase: "Running" } }), false);
    assert.equal(hasChanged(old, { ...old, spec: { ...old.spec, priority: 1 } }), true);
    const labelled = { ...old, metadata: { ...old.metadata, labels: { a: "b" } } };
    assert.equal(hasChanged(old, labelled), true);
  });

  it("that changes on its node helps those that its labels, its place or its requests kept off", () => {
    const changes = (before: PodTraits, after: PodTraits): readonly Blocker[] =>
      changesOfPod(podObject("p", before), podObject("p", after));
    assert.deepEqual(changes({}, {}), []);
    assert.deepEqual(changes({}, { labels: { a: "b" } }), ["spread", "podAffinity"]);
    assert.deepEqual(changes({}, { isGoing: true }), ["spread"]);
    assert.deepEqual(changes({ asks: { cpu: "2" } }, { asks: { cpu: "1" } }), ["resources"]);
    assert.deepEqual(changes({ asks: { cpu: "1" } }, { asks: { cpu: "2" } }), []);
  });
});

describe("a node that changes", () => {
  const cases: readonly (readonly [string, NodeTraits, readonly Blocker[]])[] = [
    ["in nothing helps nobody", {}, []],
    ["its labels", { labels: { z: "1" } }, ["nodeAffinity", "spread", "podAffinity"]],
    ["its taints", { taints: [{ key: "k", effect: "NoSchedule" }] }, ["taints", "spread"]],
    ["whether it is cordoned", { unschedulable: true }, ["unschedulable"]],
    ["what it has", { has: { cpu: "8" } }, ["resources"]],
  ];
  for (const [name, traits, expected] of cases) {
    it(name, () => assert.deepEqual(changesOfNode(node("a"), node("a", traits)), expected));
  }

  it("by a heartbeat helps nobody", () => {
    const old = node("a");
    const conditions = [
      { type: "Ready", status: "True", lastHeartbeatTime: "2024-01-01T00:00:00Z" },
    ];
    const beating = { ...old, status: { ...old.status, conditions } } as SchedulableNode;
    assert.deepEqual(changesOfNode(old, beating), []);
  });
});
