import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReplicaSet } from "../../api/types.ts";
import { controllerReference } from "../../controller/owner.ts";
import { SimCluster } from "../../controller/testing/sim-cluster.ts";
import { ownersConcerned } from "./owner-events.ts";
import { POD, type PodObject, servedKind } from "./pod-object.ts";
import { selectorOf } from "./selector-of.ts";

const ownerKind = servedKind("apps/v1", "ReplicaSet");
const spec = { containers: [{ name: "c", image: "i" }] };

function madeSet(name: string, app: string): object {
  const labels = { app };
  const template = { metadata: { labels }, spec };
  return { metadata: { name }, spec: { selector: { matchLabels: labels }, template } };
}

/** Whom the changes of one pod concern, change by change. */
async function concerned(change: (sim: SimCluster) => void): Promise<readonly string[]> {
  await using sim = new SimCluster({ seed: 1 });
  const owners = sim.context.informers.of<ReplicaSet & PodObject>(ownerKind);
  const pods = sim.context.informers.of<PodObject>(POD);
  const heard: string[] = [];
  pods.onChange((news) => {
    const keys = ownersConcerned(news, { owners, ownerKind, selectorOf });
    heard.push(`${news.type}: ${[...keys].sort().join(" ")}`.trim());
  });
  for (const name of ["web", "db"]) sim.create(ownerKind, madeSet(name, name));
  await sim.start();
  change(sim);
  await sim.settle();
  return heard;
}

function ownedBy(sim: SimCluster, name: string): object {
  const set = sim.get<ReplicaSet>(ownerKind, `default/${name}`);
  assert.ok(set);
  return { ownerReferences: [controllerReference(ownerKind, set)] };
}

test("The change of a pod concerns the owner that manages it, whatever its labels", async () => {
  const heard = await concerned((sim) => {
    sim.create(POD, {
      metadata: { name: "p", labels: { app: "db" }, ...ownedBy(sim, "web") },
      spec,
    });
    sim.patch(POD, "default/p", { metadata: { labels: { more: "yes" } } });
    sim.delete(POD, "default/p");
  });
  // Before it goes it is marked.
  assert.deepEqual(heard, [
    "added: default/web",
    "updated: default/web",
    "updated: default/web",
    "deleted: default/web",
  ]);
});

test("An orphan concerns those that select it, when it comes and when its labels change", async () => {
  const heard = await concerned((sim) => {
    sim.create(POD, { metadata: { name: "p", labels: { app: "web" } }, spec });
    sim.patch(POD, "default/p", { metadata: { annotations: { a: "b" } } });
    sim.patch(POD, "default/p", { metadata: { labels: { app: "db" } } });
    sim.delete(POD, "default/p");
  });
  assert.deepEqual(heard, [
    "added: default/web",
    "updated:",
    "updated: default/db",
    "updated:",
    "deleted:",
  ]);
});

test("A pod that is let go concerns its old owner and those that may take it", async () => {
  const heard = await concerned((sim) => {
    sim.create(POD, {
      metadata: { name: "p", labels: { app: "db" }, ...ownedBy(sim, "web") },
      spec,
    });
    sim.patch(POD, "default/p", { metadata: { ownerReferences: null } });
  });
  assert.deepEqual(heard, ["added: default/web", "updated: default/db default/web"]);
});

test("A pod of an owner of another kind, or of one that is gone, concerns nobody", async () => {
  const heard = await concerned((sim) => {
    const reference = { apiVersion: "apps/v1", name: "web", controller: true };
    for (const [name, more] of [
      ["p1", { kind: "StatefulSet", uid: "u" }],
      ["p2", { kind: "ReplicaSet", uid: "another" }],
    ] as const) {
      const ownerReferences = [{ ...reference, ...more }];
      sim.create(POD, { metadata: { name, labels: { app: "web" }, ownerReferences }, spec });
    }
  });
  assert.deepEqual(heard, ["added:", "added:"]);
});
