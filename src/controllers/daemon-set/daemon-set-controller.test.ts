import assert from "node:assert/strict";
import { test } from "node:test";
import { alreadyExists, forbidden, StatusError } from "../../api/status-error.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import { SimCluster } from "../../controller/testing/sim-cluster.ts";
import { SimNodes } from "../../controller/testing/sim-nodes.ts";
import { isReady } from "../pods/pod-condition.ts";
import { POD, type PodObject } from "../pods/pod-object.ts";
import { bindPods } from "../pods/testing/bind-pods.ts";
import { targetNode } from "./daemon-pod.ts";
import { DaemonSetController } from "./daemon-set-controller.ts";
import {
  CONTROLLER_REVISION,
  DAEMON_SET,
  type DaemonSetObject,
  HASH_LABEL,
  NODE,
  type RevisionObject,
} from "./daemon-set-object.ts";
import { LABELS as labels } from "./testing/made-daemon-set.ts";

const KEY = "default/agent";
const podSpec = { containers: [{ name: "c", image: "host" }] };

function madeSet(more: object = {}): object {
  const template = { metadata: { labels }, spec: podSpec };
  const spec = { selector: { matchLabels: labels }, template, ...more };
  return { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "agent" }, spec };
}

/** A cluster of nodes with a scheduler. */
function cluster(
  seed: number,
  of: { readonly count: number } & Partial<ConstructorParameters<typeof SimNodes>[1]>,
): { readonly sim: SimCluster; readonly nodes: SimNodes } & AsyncDisposable {
  const sim = new SimCluster({ seed });
  const nodes = new SimNodes(sim, of);
  bindPods(sim, () => nodes.names);
  const dispose = async (): Promise<void> => {
    nodes[Symbol.dispose]();
    await sim[Symbol.asyncDispose]();
  };
  return { sim, nodes, [Symbol.asyncDispose]: dispose };
}

function pods(sim: SimCluster): PodObject[] {
  return sim.list<PodObject>(POD);
}

function activePods(sim: SimCluster): PodObject[] {
  return pods(sim).filter(({ metadata }) => metadata.deletionTimestamp == null);
}

function nodesWithPods(sim: SimCluster): string[] {
  return activePods(sim)
    .map((pod) => targetNode(pod) ?? "")
    .sort();
}

function setOf(sim: SimCluster): DaemonSetObject {
  const set = sim.get<DaemonSetObject>(DAEMON_SET, KEY);
  assert.ok(set);
  return set;
}

function revisions(sim: SimCluster): RevisionObject[] {
  return sim.list<RevisionObject>(CONTROLLER_REVISION).toSorted((a, b) => a.revision - b.revision);
}

function useImage(sim: SimCluster, image: string): void {
  const containers = [{ name: "c", image }];
  sim.patch(DAEMON_SET, KEY, { spec: { template: { spec: { containers } } } });
}

function images(sim: SimCluster): string[] {
  return activePods(sim).map(({ spec }) => spec.containers?.[0]?.image ?? "");
}

/** Throws as soon as a node has more than so many pods that are not about to go. */
function atMostPerNode(sim: SimCluster, most: number): void {
  sim.observe(() => {
    const counts = Map.groupBy(activePods(sim), (pod) => targetNode(pod));
    for (const [nodeName, { length }] of counts) {
      assert.ok(length <= most, `${length} pods on ${nodeName ?? "no node"}`);
    }
  });
}

test("A DaemonSet has one pod on every node, which the scheduler binds", async () => {
  await using made = cluster(1, { count: 3 });
  const { sim } = made;
  atMostPerNode(sim, 1);
  sim.create(DAEMON_SET, madeSet());
  await sim.start(new DaemonSetController(sim.context));
  assert.deepEqual(nodesWithPods(sim), ["node-0", "node-1", "node-2"]);
  assert.ok(pods(sim).every(({ spec }) => (spec.nodeName ?? "") === ""));
  await sim.pass(5_000);
  assert.deepEqual(nodesWithPods(sim), ["node-0", "node-1", "node-2"]);
  const { status } = setOf(sim);
  assert.deepEqual(
    [
      status.desiredNumberScheduled,
      status.currentNumberScheduled,
      status.updatedNumberScheduled,
      status.numberReady,
      status.numberAvailable,
      status.numberUnavailable ?? 0,
      status.observedGeneration,
    ],
    [3, 3, 3, 3, 3, 0, 1],
  );
  const [revision] = revisions(sim);
  assert.equal(revision?.revision, 1);
  const hash = revision.metadata.labels?.[HASH_LABEL];
  assert.ok(pods(sim).every(({ metadata }) => metadata.labels?.[HASH_LABEL] === hash));
  const told = sim.events.filter(({ reason }) => reason === "SuccessfulCreate");
  assert.equal(told.length, 3);
  assert.equal(told[0]?.component, "daemonset-controller");
});

test("Nothing is asked of the server when nothing changes", async () => {
  await using made = cluster(2, { count: 2 });
  const { sim } = made;
  sim.create(DAEMON_SET, madeSet());
  await sim.start(new DaemonSetController(sim.context));
  await sim.pass(5_000);
  const asked: string[] = [];
  sim.refuse(({ verb, kind }) => {
    asked.push(`${verb} ${kind.kind}`);
    return undefined;
  });
  sim.patch(DAEMON_SET, KEY, { metadata: { labels: { touched: "yes" } } });
  sim.patch(NODE, "node-0", { metadata: { labels: { touched: "yes" } } });
  await sim.pass(60_000);
  assert.deepEqual(asked, []);
});

test("Nodes that come get a pod, and those that stop fitting lose it", async () => {
  await using made = cluster(3, { count: 1, labels: () => ({ disk: "ssd" }) });
  const { sim, nodes } = made;
  const spec = { ...podSpec, nodeSelector: { disk: "ssd" } };
  sim.create(DAEMON_SET, madeSet({ template: { metadata: { labels }, spec } }));
  await sim.start(new DaemonSetController(sim.context));
  await sim.pass(5_000);
  const added = nodes.add();
  await sim.pass(5_000);
  assert.deepEqual(nodesWithPods(sim), ["node-0", added]);
  sim.patch(NODE, "node-0", { metadata: { labels: { disk: "slow" } } });
  await sim.pass(5_000);
  assert.deepEqual(nodesWithPods(sim), [added]);
  const noExecute = [{ key: "out", effect: "NoExecute" }];
  sim.patch(NODE, added, { spec: { taints: noExecute } });
  await sim.pass(5_000);
  assert.deepEqual(nodesWithPods(sim), []);
  assert.equal(setOf(sim).status.desiredNumberScheduled, 0);
});

test("A cordoned node keeps its daemon and gets a new one", async () => {
  await using made = cluster(4, { count: 1 });
  const { sim } = made;
  const taints = [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }];
  sim.patch(NODE, "node-0", { spec: { unschedulable: true, taints } });
  sim.create(DAEMON_SET, madeSet());
  await sim.start(new DaemonSetController(sim.context));
  assert.deepEqual(nodesWithPods(sim), ["node-0"]);
});

test("A node that a taint closes later is counted as one where the daemon should not be", async () => {
  await using made = cluster(5, { count: 2 });
  const { sim } = made;
  sim.create(DAEMON_SET, madeSet());
  await sim.start(new DaemonSetController(sim.context));
  await sim.pass(5_000);
  sim.patch(NODE, "node-0", { spec: { taints: [{ key: "x", effect: "NoSchedule" }] } });
  await sim.settle();
  assert.equal(activePods(sim).length, 2);
  assert.equal(setOf(sim).status.numberMisscheduled, 1);
  sim.patch(NODE, "node-0", { spec: { taints: null } });
  await sim.settle();
  assert.equal(setOf(sim).status.numberMisscheduled, 0);
});

test("A pod for a node that vanished before it was bound is deleted", async () => {
  await using sim = new SimCluster({ seed: 6 });
  using nodes = new SimNodes(sim, { count: 1 });
  sim.create(DAEMON_SET, madeSet());
  await sim.start(new DaemonSetController(sim.context));
  assert.equal(pods(sim).length, 1);
  nodes.remove("node-0");
  await sim.settle();
  assert.equal(pods(sim).length, 0);
  assert.equal(setOf(sim).status.desiredNumberScheduled, 0);
});

test("A pod that fails is replaced at once, and then after longer and longer pauses", async () => {
  const fate = { readyMs: 1, endMs: 1, endsAs: "Failed" } as const;
  await using made = cluster(7, { count: 1, fate: () => fate });
  const { sim } = made;
  sim.create(DAEMON_SET, madeSet());
  await sim.start(new DaemonSetController(sim.context));
  await sim.pass(20_000);
  const warnings = sim.events.filter(({ reason }) => reason === "FailedDaemonPod");
  // At 0, 1, 3, 7 and 15 seconds, and the time that the pods live.
  assert.ok(warnings.length >= 3 && warnings.length <= 6, `${warnings.length} replacements`);
  assert.match(
    warnings[0]?.message ?? "",
    /^Found failed daemon pod default\/agent-\w{5} on node node-0, will try to kill it$/,
  );
  assert.equal(warnings[0]?.type, "Warning");
});

test("A pod that succeeds is replaced", async () => {
  let ends = 1;
  await using made = cluster(8, {
    count: 1,
    fate: () => (ends-- > 0 ? { endMs: 10, endsAs: "Succeeded" } : {}),
  });
  const { sim } = made;
  sim.create(DAEMON_SET, madeSet());
  await sim.start(new DaemonSetController(sim.context));
  await sim.pass(10_000);
  assert.equal(setOf(sim).status.numberReady, 1);
  const told = sim.events.find(({ reason }) => reason === "SucceededDaemonPod");
  assert.match(
    told?.message ?? "",
    /^Found succeeded daemon pod default\/agent-\w{5} on node node-0, will try to delete it$/,
  );
});

test("An update replaces pod by pod and never has more than maxUnavailable away", async () => {
  await using made = cluster(9, { count: 4 });
  const { sim } = made;
  atMostPerNode(sim, 1);
  sim.create(DAEMON_SET, madeSet());
  await sim.start(new DaemonSetController(sim.context));
  await sim.pass(5_000);
  let fewest = 4;
  sim.observe(() => {
    fewest = Math.min(fewest, activePods(sim).filter(isReady).length);
  });
  useImage(sim, "next");
  await sim.pass(30_000);
  assert.deepEqual(images(sim), ["next", "next", "next", "next"]);
  assert.equal(fewest, 3);
  const { updatedNumberScheduled, numberAvailable, observedGeneration } = setOf(sim).status;
  assert.deepEqual([updatedNumberScheduled, numberAvailable, observedGeneration], [4, 4, 2]);
});

test("An update to pods that never get ready stops after maxUnavailable nodes", async () => {
  await using made = cluster(10, {
    count: 5,
    fate: ({ spec }) => (spec.containers?.[0]?.image === "bad" ? { readyMs: undefined } : {}),
  });
  const { sim } = made;
  sim.create(DAEMON_SET, madeSet({ updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } }));
  await sim.start(new DaemonSetController(sim.context));
  await sim.pass(5_000);
  useImage(sim, "bad");
  await sim.pass(60_000);
  assert.equal(activePods(sim).filter(isReady).length, 3);
  assert.equal(images(sim).filter((image) => image === "bad").length, 2);
  useImage(sim, "good");
  await sim.pass(60_000);
  assert.deepEqual(new Set(images(sim)), new Set(["good"]));
});

test("An update with surge has every node served all the time", async () => {
  await using made = cluster(11, { count: 3 });
  const { sim } = made;
  atMostPerNode(sim, 2);
  const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
  sim.create(DAEMON_SET, madeSet({ updateStrategy: { type: "RollingUpdate", rollingUpdate } }));
  await sim.start(new DaemonSetController(sim.context));
  await sim.pass(5_000);
  sim.observe(() => {
    const served = new Set(pods(sim).filter(isReady).map(targetNode));
    assert.equal(served.size, 3);
    assert.ok(activePods(sim).length <= 4);
  });
  useImage(sim, "next");
  await sim.pass(30_000);
  assert.deepEqual(images(sim), ["next", "next", "next"]);
});

test("With OnDelete pods change only when somebody deletes them", async () => {
  await using made = cluster(12, { count: 2 });
  const { sim } = made;
  sim.create(DAEMON_SET, madeSet({ updateStrategy: { type: "OnDelete" } }));
  await sim.start(new DaemonSetController(sim.context));
  await sim.pass(5_000);
  useImage(sim, "next");
  await sim.pass(30_000);
  assert.deepEqual(images(sim), ["host", "host"]);
  sim.delete(POD, `default/${pods(sim)[0]?.metadata.name ?? ""}`);
  await sim.pass(5_000);
  assert.deepEqual(images(sim).sort(), ["host", "next"]);
  assert.equal(setOf(sim).status.updatedNumberScheduled, 1);
});

test("Going back is the patch that a revision holds, and gives the old revision the next number", async () => {
  await using made = cluster(13, { count: 1 });
  const { sim } = made;
  sim.create(DAEMON_SET, madeSet());
  await sim.start(new DaemonSetController(sim.context));
  await sim.pass(5_000);
  useImage(sim, "next");
  await sim.pass(10_000);
  const [first] = revisions(sim);
  assert.ok(first);
  const sets = new ResourceClient<DaemonSetObject>(sim.clientOf("kubectl"), DAEMON_SET);
  const name = { namespace: "default", name: "agent" };
  await sets.patch(name, first.data as object, { type: "strategic" });
  await sim.pass(10_000);
  assert.deepEqual(images(sim), ["host"]);
  assert.deepEqual(
    revisions(sim).map(({ metadata, revision }) => [
      metadata.name === first.metadata.name,
      revision,
    ]),
    [
      [false, 2],
      [true, 3],
    ],
  );
});

test("Only as many old revisions are kept as the limit says", async () => {
  await using made = cluster(14, { count: 1 });
  const { sim } = made;
  sim.create(DAEMON_SET, madeSet({ revisionHistoryLimit: 2 }));
  await sim.start(new DaemonSetController(sim.context));
  for (const image of ["a", "b", "c", "d"]) {
    await sim.pass(10_000);
    useImage(sim, image);
  }
  await sim.pass(10_000);
  assert.deepEqual(
    revisions(sim).map(({ revision }) => revision),
    [3, 4, 5],
  );
});

test("A set made anew adopts the pods and revisions that the first one left", async () => {
  await using made = cluster(15, { count: 2 });
  const { sim } = made;
  sim.create(DAEMON_SET, madeSet());
  await sim.start(new DaemonSetController(sim.context));
  await sim.pass(5_000);
  const before = pods(sim).map(({ metadata }) => metadata.uid);
  const { uid } = setOf(sim).metadata;
  const isOwned = ({ metadata }: { metadata: RevisionObject["metadata"] }, by?: string): boolean =>
    metadata.ownerReferences?.[0]?.uid === by;
  await sim.stop();
  sim.delete(DAEMON_SET, KEY);
  for (const [kind, objects] of [
    [POD, pods(sim)],
    [CONTROLLER_REVISION, revisions(sim)],
  ] as const) {
    for (const { metadata } of objects) {
      const key = `default/${metadata.name ?? ""}`;
      sim.patch(kind, key, { metadata: { ownerReferences: null } });
    }
  }
  const again = sim.create(DAEMON_SET, madeSet()).metadata;
  assert.notEqual(again.uid, uid);
  await sim.start(new DaemonSetController(sim.context));
  await sim.pass(10_000);
  assert.deepEqual(
    pods(sim).map(({ metadata }) => metadata.uid),
    before,
  );
  assert.equal(revisions(sim).length, 1);
  assert.ok([...pods(sim), ...revisions(sim)].every((object) => isOwned(object, again.uid)));
});

test("A hash that is taken by another template is counted as a collision", async () => {
  await using made = cluster(16, { count: 1 });
  const { sim } = made;
  let taken: string | undefined;
  sim.refuse(({ verb, kind, body }) => {
    if (verb !== "create" || kind.kind !== "ControllerRevision") return undefined;
    const { name = "" } = (body as unknown as RevisionObject).metadata;
    if (taken === undefined) {
      taken = name;
      sim.create(kind, { metadata: { name }, data: { other: "template" }, revision: 1 });
    }
    return name === taken ? alreadyExists(kind, name) : undefined;
  });
  sim.create(DAEMON_SET, madeSet());
  await sim.start(new DaemonSetController(sim.context));
  await sim.pass(5_000);
  assert.equal(setOf(sim).status.collisionCount, 1);
  assert.equal(setOf(sim).status.numberReady, 1);
});

test("Equal revisions become one, and their pods with them, without being replaced", async () => {
  await using made = cluster(17, { count: 1 });
  const { sim } = made;
  sim.create(DAEMON_SET, madeSet());
  await sim.start(new DaemonSetController(sim.context));
  await sim.pass(5_000);
  const [first] = revisions(sim);
  const [pod] = pods(sim);
  assert.ok(first);
  const { ownerReferences } = first.metadata;
  const twin = { name: "agent-twin", labels: { ...labels, [HASH_LABEL]: "twin" }, ownerReferences };
  sim.create(CONTROLLER_REVISION, { metadata: twin, data: first.data, revision: 7 });
  await sim.pass(10_000);
  assert.deepEqual(
    revisions(sim).map(({ metadata }) => metadata.name),
    ["agent-twin"],
  );
  assert.equal(pods(sim)[0]?.metadata.uid, pod?.metadata.uid);
  assert.equal(pods(sim)[0]?.metadata.labels?.[HASH_LABEL], "twin");
});

test("Watches that lag and conflicts lead to no second pod on a node", async () => {
  await using made = cluster(18, { count: 4 });
  const { sim } = made;
  sim.watchLagMs = ({ kind }) => (kind === "Pod" ? 900 : kind === "Node" ? 0 : 300);
  atMostPerNode(sim, 1);
  let asked = 0;
  sim.refuse(({ verb, kind, by }) => {
    if (by !== "controllers" || verb === "watch" || verb === "list") return undefined;
    const conflict = { code: 409, reason: "Conflict", message: "somebody was faster" } as const;
    if (verb === "update" && asked++ % 4 === 0) return new StatusError(conflict);
    return kind.kind === "Pod" && asked++ % 7 === 0 ? "lost" : undefined;
  });
  sim.create(DAEMON_SET, madeSet());
  await sim.start(new DaemonSetController(sim.context));
  await sim.pass(20_000);
  useImage(sim, "next");
  for (let i = 0; i < 20; i++) {
    sim.patch(DAEMON_SET, KEY, { metadata: { labels: { i: String(i) } } });
    await sim.pass(200);
  }
  await sim.pass(120_000);
  assert.deepEqual(images(sim), ["next", "next", "next", "next"]);
});

test("A controller that takes over in the middle of an update finishes it", async () => {
  await using made = cluster(19, { count: 4 });
  const { sim } = made;
  atMostPerNode(sim, 1);
  sim.create(DAEMON_SET, madeSet());
  await sim.start(new DaemonSetController(sim.context));
  await sim.pass(5_000);
  useImage(sim, "next");
  await sim.pass(3_500);
  const replaced = images(sim).filter((image) => image === "next").length;
  assert.ok(replaced > 0 && replaced < 4, `${replaced} of 4`);
  let fewest = 4;
  sim.observe(() => {
    fewest = Math.min(fewest, activePods(sim).filter(isReady).length);
  });
  await sim.stop();
  await sim.start(new DaemonSetController(sim.context));
  await sim.pass(30_000);
  assert.deepEqual(images(sim), ["next", "next", "next", "next"]);
  assert.ok(fewest >= 3);
  assert.equal(revisions(sim).length, 2);
});

test("Refused creations cost few requests, are told of, and are tried again", async () => {
  await using made = cluster(20, { count: 30 });
  const { sim } = made;
  let asked = 0;
  let isFull = true;
  sim.refuse(({ verb, kind, subresource }) => {
    if (verb !== "create" || kind.kind !== "Pod" || subresource !== "") return undefined;
    asked++;
    return isFull ? forbidden(kind, "agent-", "exceeded quota: q") : undefined;
  });
  sim.create(DAEMON_SET, madeSet());
  await sim.start(new DaemonSetController(sim.context));
  await sim.pass(10_000);
  assert.ok(asked >= 5 && asked <= 20, `${asked} requests in ten seconds`);
  assert.equal(setOf(sim).status.desiredNumberScheduled, 30);
  assert.equal(
    sim.events[0]?.message,
    'Error creating: pods "agent-" is forbidden: exceeded quota: q',
  );
  isFull = false;
  await sim.pass(60_000);
  assert.equal(setOf(sim).status.numberReady, 30);
});

test("A set that is about to go makes no pods and no status", async () => {
  await using made = cluster(21, { count: 1 });
  const { sim, nodes } = made;
  sim.create(DAEMON_SET, madeSet());
  await sim.start(new DaemonSetController(sim.context));
  await sim.pass(5_000);
  sim.delete(DAEMON_SET, KEY, { propagationPolicy: "Foreground" });
  nodes.add();
  await sim.pass(5_000);
  assert.equal(pods(sim).length, 1);
  assert.equal(setOf(sim).status.desiredNumberScheduled, 1);
});
