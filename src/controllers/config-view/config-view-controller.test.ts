// Views of pods whose node is away, in a simulated cluster.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConfigUse, ConfigView, Node } from "../../api/types.ts";
import { SimCluster } from "../../controller/testing/sim-cluster.ts";
import { GarbageCollector } from "../garbage-collector/garbage-collector.ts";
import { NODE } from "../node/node-objects.ts";
import { POD, servedKind } from "../pods/pod-object.ts";
import { ConfigViewController } from "./config-view-controller.ts";

const VIEW = servedKind("driftless.dev/v1", "ConfigView");
const SINCE = "2024-01-01T00:00:00Z";

function node(sim: SimCluster, name: string): void {
  sim.create(NODE, { metadata: { name } });
  say(sim, name, "True");
}

function say(sim: SimCluster, name: string, status: string): void {
  const condition = { type: "Ready", status, lastTransitionTime: SINCE };
  sim.patchStatus<Node>(NODE, name, { status: { conditions: [condition] } });
}

/** A pod on this node, and its view with a use for each drift. */
function pod(
  sim: SimCluster,
  name: string,
  nodeName: string,
  drifts: readonly string[] = [""],
): void {
  const spec = { nodeName, containers: [{ name: "c", image: "i" }] };
  const { uid = "" } = sim.create(POD, { metadata: { name, namespace: "default" }, spec }).metadata;
  const uses = drifts.map((reason, i) => ({
    ...{ kind: "ConfigMap", name: `m${i}`, how: "volume", container: "c", mountPath: `/${i}` },
    ...(reason !== "" && { drift: { reason, message: "by the agent" } }),
  }));
  const owner = { apiVersion: "v1", kind: "Pod", name, uid };
  sim.create(VIEW, {
    metadata: { name, namespace: "default", ownerReferences: [owner] },
    pod: { name, uid },
    node: nodeName,
    uses,
  });
}

function uses(sim: SimCluster, name: string): readonly ConfigUse[] {
  return sim.get<ConfigView>(VIEW, `default/${name}`)?.uses ?? [];
}

function reasons(sim: SimCluster, name: string): readonly string[] {
  return uses(sim, name).map(({ drift }) => drift?.reason ?? "");
}

async function started(sim: SimCluster): Promise<string[]> {
  const writes: string[] = [];
  sim.observe(({ kind, object, by }) => {
    if (by === "controllers" && kind.kind === "ConfigView") writes.push(object.metadata.name ?? "");
  });
  await sim.start(new ConfigViewController(sim.context));
  return writes;
}

test("When a node falls silent, the views of its pods say so, with since when and what to do", async () => {
  await using sim = new SimCluster({ seed: 1 });
  node(sim, "n1");
  node(sim, "n2");
  pod(sim, "a", "n1");
  pod(sim, "b", "n2");
  const writes = await started(sim);
  assert.deepEqual(writes, []);
  say(sim, "n1", "Unknown");
  await sim.settle();
  assert.deepEqual(reasons(sim, "a"), ["NodeAway"]);
  assert.deepEqual(reasons(sim, "b"), [""]);
  const { drift } = uses(sim, "a")[0] ?? {};
  assert.equal(drift?.since, "2024-01-01T00:00:00.000000Z");
  assert.match(
    drift?.message ?? "",
    /node n1 has not been heard of since 2024-01-01T00:00:00Z.*bring the node back/,
  );
});

test("Drift that is known keeps its reason, and a view that says all is not written again", async () => {
  await using sim = new SimCluster({ seed: 1 });
  node(sim, "n1");
  pod(sim, "a", "n1", ["EnvFrozen", "", "GateRejected"]);
  const writes = await started(sim);
  say(sim, "n1", "Unknown");
  await sim.settle();
  await sim.pass(120_000);
  assert.deepEqual(reasons(sim, "a"), ["EnvFrozen", "NodeAway", "GateRejected"]);
  assert.deepEqual(writes, ["a"]);
});

test("A node that says itself that it is not ready can be asked: its views stay", async () => {
  await using sim = new SimCluster({ seed: 1 });
  node(sim, "n1");
  pod(sim, "a", "n1");
  const writes = await started(sim);
  say(sim, "n1", "False");
  await sim.pass(60_000);
  assert.deepEqual(writes, []);
});

test("A node that was deleted is away, also if that was while nobody looked", async () => {
  await using sim = new SimCluster({ seed: 1 });
  node(sim, "n1");
  pod(sim, "a", "n1");
  pod(sim, "b", "lost-before");
  await started(sim);
  assert.deepEqual(reasons(sim, "b"), ["NodeAway"]);
  assert.deepEqual(reasons(sim, "a"), [""]);
  sim.delete(NODE, "n1");
  await sim.settle();
  assert.deepEqual(reasons(sim, "a"), ["NodeAway"]);
  assert.match(uses(sim, "a")[0]?.drift?.message ?? "", /does not exist any more/);
});

test("The last word of an agent that came after ours does not stay", async () => {
  await using sim = new SimCluster({ seed: 1 });
  node(sim, "n1");
  pod(sim, "a", "n1");
  await started(sim);
  say(sim, "n1", "Unknown");
  await sim.settle();
  const [use] = uses(sim, "a");
  const { drift: _, ...synced } = use ?? { kind: "", name: "", how: "" };
  sim.patch(VIEW, "default/a", { uses: [synced] });
  await sim.pass(60_000);
  assert.deepEqual(reasons(sim, "a"), ["NodeAway"]);
});

test("When the node is back its views are its agent's again", async () => {
  await using sim = new SimCluster({ seed: 1 });
  node(sim, "n1");
  pod(sim, "a", "n1");
  const writes = await started(sim);
  say(sim, "n1", "Unknown");
  await sim.settle();
  say(sim, "n1", "True");
  const [use] = uses(sim, "a");
  const { drift: _, ...synced } = use ?? { kind: "", name: "", how: "" };
  sim.patch(VIEW, "default/a", { uses: [synced] });
  writes.length = 0;
  await sim.pass(120_000);
  assert.deepEqual(writes, []);
  assert.deepEqual(reasons(sim, "a"), [""]);
});

test("A thousand views are written once each, eight at a time, through conflicts and lost answers", async () => {
  await using sim = new SimCluster({ seed: 1 });
  node(sim, "n1");
  for (let i = 0; i < 1000; i++) pod(sim, `p${i}`, "n1");
  const writes = await started(sim);
  let [running, most, asked] = [0, 0, 0];
  sim.latencyMs = ({ verb }) => {
    if (verb !== "patch") return 0;
    most = Math.max(most, ++running);
    sim.clock.schedule(5, () => void running--);
    return 5;
  };
  sim.refuse(({ verb }) => (verb === "patch" && ++asked % 50 === 0 ? "lost" : undefined));
  say(sim, "n1", "Unknown");
  await sim.pass(60_000);
  assert.equal(new Set(writes).size, 1000);
  assert.equal(writes.length, 1000);
  assert.ok(most <= 8, `${most} at a time`);
});

test("The garbage collector takes a view with its pod", async () => {
  await using sim = new SimCluster({ seed: 1 });
  node(sim, "n1");
  pod(sim, "a", "n1");
  pod(sim, "b", "n1");
  await sim.start(new GarbageCollector(sim.context));
  await sim.pass(10_000);
  sim.delete(POD, "default/a", { gracePeriodSeconds: 0 });
  await sim.pass(10_000);
  assert.equal(sim.get(VIEW, "default/a"), undefined);
  assert.notEqual(sim.get(VIEW, "default/b"), undefined);
});
