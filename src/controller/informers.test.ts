import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BY_NAMESPACE, BY_NODE, BY_OWNER, orphansOf, ownedBy } from "./informers.ts";
import { controllerReference } from "./owner.ts";
import { SimCluster } from "./testing/sim-cluster.ts";
import { simKind } from "./testing/sim-kinds.ts";

const pods = simKind("v1", "Pod");
const configMaps = simKind("v1", "ConfigMap");
const podSpec = { containers: [{ name: "main", image: "host" }] };

describe("Informers", () => {
  it("have one informer per kind for all who ask", async () => {
    await using sim = new SimCluster({ seed: 1 });
    const { informers } = sim.context;
    assert.equal(informers.of(pods), informers.of(pods));
    assert.notEqual(informers.of(pods), informers.of(configMaps));
  });

  it("find objects by namespace, manager and node", async () => {
    await using sim = new SimCluster({ seed: 1 });
    const informer = sim.context.informers.of(pods);
    const owner = sim.create(configMaps, { metadata: { name: "owner" } });
    const ownerReferences = [controllerReference(configMaps, owner)];
    sim.create(pods, {
      metadata: { name: "a", ownerReferences },
      spec: { ...podSpec, nodeName: "n1" },
    });
    sim.create(pods, { metadata: { name: "b", namespace: "kube-system" }, spec: podSpec });
    await sim.start();

    const names = (index: string, value: string): (string | undefined)[] =>
      informer.byIndex(index, value).map(({ metadata }) => metadata.name);
    assert.deepEqual(names(BY_NAMESPACE, "kube-system"), ["b"]);
    assert.deepEqual(names(BY_OWNER, ownedBy(owner.metadata)), ["a"]);
    assert.deepEqual(names(BY_OWNER, orphansOf("kube-system")), ["b"]);
    assert.deepEqual(names(BY_OWNER, orphansOf("default")), []);
    assert.deepEqual(names(BY_NODE, "n1"), ["a"]);
    assert.deepEqual(names(BY_NODE, ""), ["b"]);
  });

  it("find what an object manages in its own namespace only", async () => {
    await using sim = new SimCluster({ seed: 1 });
    const informer = sim.context.informers.of(pods);
    const owner = sim.create(configMaps, { metadata: { name: "owner" } });
    const ownerReferences = [controllerReference(configMaps, owner)];
    const metadata = { name: "forged", namespace: "kube-public", ownerReferences };
    sim.create(pods, { metadata, spec: podSpec });
    await sim.start();
    assert.deepEqual(informer.byIndex(BY_OWNER, ownedBy(owner.metadata)), []);
    assert.deepEqual(informer.byIndex(BY_OWNER, orphansOf("kube-public")), []);
  });

  it("refuse a kind that nobody asked for before they ran", async () => {
    await using sim = new SimCluster({ seed: 1 });
    const { informers } = sim.context;
    await sim.start();
    assert.throws(() => informers.of(pods), /the informers run already/);
  });

  it("are synced when all of them are", async () => {
    await using sim = new SimCluster({ seed: 1 });
    const { informers } = sim.context;
    const informer = informers.of(pods);
    informers.of(configMaps);
    let isSynced = false;
    void informers.synced().then(() => {
      isSynced = true;
    });
    await sim.settle();
    assert.equal(isSynced, false);
    await sim.start();
    assert.ok(informer.hasSynced && isSynced);
  });
});
