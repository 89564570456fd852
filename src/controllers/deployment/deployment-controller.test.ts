// What a Deployment owns, and what happens when the server says no.

import assert from "node:assert/strict";
import { test } from "node:test";
import { forbidden } from "../../api/status-error.ts";
import { controllerOf } from "../../controller/owner.ts";
import { conditionOf } from "./deployment-conditions.ts";
import { DEPLOYMENT, REPLICA_SET, type ReplicaSetObject } from "./deployment-objects.ts";
import { bound, SimRollout } from "./testing/sim-rollout.ts";

const REVISION = "deployment.kubernetes.io/revision";

function orphan(name: string, image: string, labels = { app: "web" }): object {
  const template = bound(image);
  return {
    metadata: { name, namespace: "default", labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { ...template, metadata: { labels } },
    },
  };
}

function ownerOf(rollout: SimRollout, name: string): string | undefined {
  const set = rollout.sim.get<ReplicaSetObject>(REPLICA_SET, `default/${name}`);
  return set && controllerOf(set)?.name;
}

test("An orphan with the Deployment's template is adopted and becomes current", async () => {
  await using rollout = new SimRollout();
  rollout.sim.create(REPLICA_SET, orphan("stray", "v1"));
  rollout.create({ replicas: 2 });
  await rollout.start();
  await rollout.complete();
  assert.equal(ownerOf(rollout, "stray"), "web");
  assert.equal(rollout.sets.length, 1);
  assert.equal(rollout.sets[0]?.metadata.annotations?.[REVISION], "1");
  assert.equal(rollout.progress[0], "FoundNewReplicaSet");
});

test("An orphan that the informer still shows as another's is adopted, and no second one is made", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 2 });
  await rollout.start();
  await rollout.complete();
  const name = rollout.set("v1").metadata.name ?? "";
  const { sim } = rollout;
  sim.watchLagMs = ({ kind }) => (kind === "ReplicaSet" ? 3000 : 0);
  sim.patch(REPLICA_SET, `default/${name}`, { metadata: { ownerReferences: null } });
  sim.delete(DEPLOYMENT, "default/web");
  rollout.create({ replicas: 2 });
  await rollout.complete();
  assert.deepEqual(
    rollout.sets.map(({ metadata }) => metadata.name),
    [name],
  );
  assert.equal(ownerOf(rollout, name), "web");
  assert.equal(rollout.deployment.status.collisionCount, undefined);
});

test("An orphan with another template is adopted and replaced", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 2 });
  await rollout.start();
  await rollout.complete();
  rollout.sim.create(REPLICA_SET, orphan("stray", "v0"));
  await rollout.sim.settle();
  assert.equal(ownerOf(rollout, "stray"), "web");
  await rollout.complete();
  assert.deepEqual(rollout.sizes, { v0: 0, v1: 2 });
});

test("A ReplicaSet that is no longer selected is let go, and another is made", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 1 });
  await rollout.start();
  const name = rollout.set("v1").metadata.name ?? "";
  rollout.sim.patch(REPLICA_SET, `default/${name}`, { metadata: { labels: { app: "other" } } });
  await rollout.sim.settle();
  assert.equal(ownerOf(rollout, name), undefined);
  // The name of the first is taken: the second is made after a collision.
  await rollout.until("there is another", () => rollout.sets.length === 2);
  assert.equal(rollout.deployment.status.collisionCount, 1);
});

test("A ReplicaSet of somebody else is left alone", async () => {
  await using rollout = new SimRollout();
  const owner = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    name: "else",
    uid: "1",
    controller: true,
  };
  const set = orphan("stray", "v0") as ReplicaSetObject;
  set.metadata.ownerReferences = [owner];
  rollout.sim.create(REPLICA_SET, set);
  rollout.create({ replicas: 2 });
  await rollout.start();
  await rollout.complete();
  assert.equal(ownerOf(rollout, "stray"), "else");
  assert.equal(rollout.sizes["v0"], 2);
});

test("A ReplicaSet that somebody deletes comes back", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 2 });
  await rollout.start();
  await rollout.complete();
  rollout.sim.delete(REPLICA_SET, `default/${rollout.set("v1").metadata.name}`);
  await rollout.sim.settle();
  assert.deepEqual(rollout.sizes, { v1: 2 });
});

test("A Deployment that goes makes and scales nothing any more", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 2 });
  rollout.sim.patch(DEPLOYMENT, "default/web", { metadata: { finalizers: ["example.com/wait"] } });
  await rollout.start();
  await rollout.complete();
  rollout.sim.delete(DEPLOYMENT, "default/web");
  await rollout.use("v2");
  await rollout.change({ replicas: 5 });
  await rollout.sim.pass(60_000);
  assert.deepEqual(rollout.sizes, { v1: 2 });
  assert.equal(
    rollout.deployment.status.observedGeneration,
    rollout.deployment.metadata.generation,
  );
});

test("A ReplicaSet that cannot be made is told of, and is made when it can be", async () => {
  await using rollout = new SimRollout();
  let isFull = true;
  rollout.sim.refuse(({ verb, kind, name }) =>
    isFull && verb === "create" && kind.kind === "ReplicaSet"
      ? forbidden(kind, name, "exceeded quota")
      : undefined,
  );
  rollout.create({ replicas: 1 });
  await rollout.start();
  assert.equal(rollout.condition("Progressing"), "False ReplicaSetCreateError");
  const { conditions } = rollout.deployment.status;
  const message = conditionOf(conditions, "Progressing")?.message ?? "";
  assert.match(
    message,
    /^Failed to create new replica set "web-\w+": replicasets\.apps .*exceeded quota$/,
  );
  assert.equal(rollout.events[0], `Warning ReplicaSetCreateError ${message}`);
  isFull = false;
  await rollout.complete();
  assert.equal(rollout.condition("Progressing"), "True NewReplicaSetAvailable");
});

test("In a namespace that goes nothing is tried again", async () => {
  await using rollout = new SimRollout();
  let tries = 0;
  rollout.sim.refuse(({ verb, kind, name }) => {
    if (verb !== "create" || kind.kind !== "ReplicaSet") return undefined;
    tries++;
    return forbidden(kind, name, "it is being terminated", [{ reason: "NamespaceTerminating" }]);
  });
  rollout.create({ replicas: 1 });
  await rollout.start();
  await rollout.sim.pass(60_000);
  assert.equal(tries, 1);
  assert.deepEqual(rollout.events, []);
});

test("A ReplicaSet of another owner under the name that is wanted makes the Deployment choose another", async () => {
  await using first = new SimRollout();
  first.create({ replicas: 1 });
  await first.start();
  const name = first.set("v1").metadata.name ?? "";

  await using rollout = new SimRollout();
  rollout.sim.create(REPLICA_SET, orphan(name, "v0", { app: "other" }));
  rollout.create({ replicas: 1 });
  await rollout.start();
  await rollout.complete();
  assert.equal(rollout.deployment.status.collisionCount, 1);
  assert.notEqual(rollout.set("v1").metadata.name, name);
  assert.equal(ownerOf(rollout, name), undefined);
});

test("A failure of the pods of the current version is shown, and goes with its cause", async () => {
  await using rollout = new SimRollout();
  let isFull = true;
  rollout.sim.refuse(({ verb, kind, name }) =>
    isFull && verb === "create" && kind.kind === "Pod" ? forbidden(kind, name, "full") : undefined,
  );
  rollout.create({ replicas: 1 });
  await rollout.start();
  assert.equal(rollout.condition("ReplicaFailure"), "True FailedCreate");
  isFull = false;
  await rollout.complete();
  await rollout.sim.pass(1000);
  assert.equal(rollout.condition("ReplicaFailure"), undefined);
});

test("A Deployment without a deadline says nothing of progress", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 1, progressDeadlineSeconds: 2 ** 31 - 1 });
  await rollout.start();
  await rollout.complete();
  assert.equal(rollout.condition("Progressing"), undefined);
  await rollout.change({ progressDeadlineSeconds: 600 });
  assert.match(rollout.condition("Progressing") ?? "", /^True/);
});

test("The deadline runs on after another controller has taken over", async () => {
  await using rollout = new SimRollout();
  rollout.create({ replicas: 2, progressDeadlineSeconds: 60 });
  await rollout.start();
  await rollout.complete();
  await rollout.use("bad");
  await rollout.sim.pass(40_000);
  await rollout.restart();
  await rollout.sim.pass(15_000);
  assert.equal(rollout.condition("Progressing"), "True ReplicaSetUpdated");
  await rollout.sim.pass(10_000);
  assert.equal(rollout.condition("Progressing"), "False ProgressDeadlineExceeded");
});

test("Broken old pods go first, so that a repair needs no spare room", async () => {
  await using rollout = new SimRollout({
    fate: (image) => (image === "v1" ? { readyMs: undefined } : {}),
  });
  const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };
  rollout.create({ replicas: 4, strategy });
  await rollout.start();
  await rollout.sim.pass(5000);
  rollout.sim.events.length = 0;
  await rollout.use("v2");
  await rollout.complete();
  assert.equal(
    rollout.events[0],
    "Normal ScalingReplicaSet Scaled down replica set v1 from 4 to 3",
  );
  assert.deepEqual(rollout.sizes, { v1: 0, v2: 4 });
});
