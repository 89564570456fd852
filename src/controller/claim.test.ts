import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiObject } from "../api/object.ts";
import { labelSelectorOf } from "../api/selectors/label-selector.ts";
import type { Pod } from "../api/types.ts";
import { ResourceClient } from "../client/resource-client.ts";
import { type ClaimOptions, claim } from "./claim.ts";
import { controllerReference } from "./owner.ts";
import { SimCluster } from "./testing/sim-cluster.ts";
import { simKind } from "./testing/sim-kinds.ts";

const sets = simKind("apps/v1", "ReplicaSet");
const pods = simKind("v1", "Pod");
const labels = { app: "web" };
const podSpec = { containers: [{ name: "main", image: "host" }] };

function cluster(): { readonly sim: SimCluster; readonly owner: ApiObject } {
  const sim = new SimCluster({ seed: 1 });
  const template = { metadata: { labels }, spec: podSpec };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  return { sim, owner: sim.create(sets, { metadata: { name: "web" }, spec }) };
}

function makePod(sim: SimCluster, name: string, metadata: object = {}): Pod & ApiObject {
  const pod = { metadata: { name, labels, ...metadata }, spec: podSpec };
  return sim.create(pods, pod) as unknown as Pod & ApiObject;
}

async function claimed(
  sim: SimCluster,
  owner: ApiObject,
  more: Partial<ClaimOptions<Pod & ApiObject>> = {},
): Promise<readonly string[]> {
  const found = claim({
    owner,
    ownerKind: sets,
    selector: labelSelectorOf({ matchLabels: labels }),
    candidates: sim.list<Pod>(pods),
    children: new ResourceClient<Pod & ApiObject>(sim.client, pods),
    freshOwner: () =>
      new ResourceClient<ApiObject>(sim.client, sets).get({ namespace: "default", name: "web" }),
    signal: new AbortController().signal,
    ...more,
  });
  await sim.settle();
  return (await found).map(({ metadata }) => metadata.name ?? "");
}

const managerOf = (sim: SimCluster, name: string): string | undefined =>
  sim.get(pods, `default/${name}`)?.metadata.ownerReferences?.find(({ controller }) => controller)
    ?.uid;

describe("claim", () => {
  it("adopts what it selects and nobody manages, and keeps other owners", async () => {
    const { sim, owner } = cluster();
    const other = { apiVersion: "v1", kind: "ConfigMap", name: "c", uid: "c1" };
    makePod(sim, "alone", { ownerReferences: [other] });
    makePod(sim, "stranger", { labels: { app: "db" } });

    assert.deepEqual(await claimed(sim, owner), ["alone"]);
    assert.equal(managerOf(sim, "alone"), owner.metadata.uid);
    assert.equal(sim.get(pods, "default/alone")?.metadata.ownerReferences?.length, 2);
    assert.equal(managerOf(sim, "stranger"), undefined);
  });

  it("leaves alone what another manages", async () => {
    const { sim, owner } = cluster();
    const reference = { ...controllerReference(sets, owner), uid: "other" };
    makePod(sim, "theirs", { ownerReferences: [reference] });

    assert.deepEqual(await claimed(sim, owner), []);
    assert.equal(managerOf(sim, "theirs"), "other");
  });

  it("lets go of what it no longer selects", async () => {
    const { sim, owner } = cluster();
    const ownerReferences = [controllerReference(sets, owner)];
    makePod(sim, "left", { labels: { app: "else" }, ownerReferences });
    makePod(sim, "stays", { ownerReferences });

    assert.deepEqual(await claimed(sim, owner), ["stays"]);
    assert.equal(managerOf(sim, "left"), undefined);
  });

  it("adopts nothing for an owner that is going, or was made anew under its name", async () => {
    const { sim, owner } = cluster();
    makePod(sim, "alone");
    const going = {
      ...owner,
      metadata: { ...owner.metadata, deletionTimestamp: "2024-01-01T00:00:00Z" },
    };
    assert.deepEqual(await claimed(sim, going), []);
    const renewed = { ...owner, metadata: { ...owner.metadata, uid: "before" } };
    assert.deepEqual(await claimed(sim, renewed), []);
    assert.equal(managerOf(sim, "alone"), undefined);
  });

  it("does not touch an object that took the place of the one it knew", async () => {
    const { sim, owner } = cluster();
    const before = makePod(sim, "alone");
    sim.delete(pods, "default/alone");
    makePod(sim, "alone");

    assert.deepEqual(await claimed(sim, owner, { candidates: [before] }), []);
    assert.equal(managerOf(sim, "alone"), undefined);
  });

  it("passes over one that has gone meanwhile", async () => {
    const { sim, owner } = cluster();
    const gone = makePod(sim, "gone");
    const there = makePod(sim, "there");
    sim.delete(pods, "default/gone");

    assert.deepEqual(await claimed(sim, owner, { candidates: [gone, there] }), ["there"]);
  });
});
