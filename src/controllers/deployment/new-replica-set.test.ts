import assert from "node:assert/strict";
import { test } from "node:test";
import { newReplicaSet } from "./new-replica-set.ts";
import { isSameTemplate, sortReplicaSets } from "./replica-sets.ts";
import { deploymentOf, replicaSetOf, templateOf } from "./testing/rollout-objects.ts";

test("A new ReplicaSet is the Deployment's, and tells its pods from those of others by a label", () => {
  const deployment = deploymentOf({ replicas: 4, maxSurge: 1, spec: { minReadySeconds: 5 } });
  const set = newReplicaSet(deployment, [replicaSetOf("old", { replicas: 4 })]);
  const hash = set.metadata.labels?.["pod-template-hash"] ?? "";
  assert.match(hash, /^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
  const labels = { app: "web", "pod-template-hash": hash };
  assert.equal(set.metadata.name, `web-${hash}`);
  assert.deepEqual(set.metadata.labels, labels);
  assert.deepEqual(set.spec.selector, { matchLabels: labels });
  assert.deepEqual(set.spec.template, { ...templateOf("new"), metadata: { labels } });
  assert.equal(set.spec.minReadySeconds, 5);
  assert.equal(set.spec.replicas, 1);
  assert.deepEqual(set.metadata.ownerReferences, [
    {
      ...{ apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "uid-web" },
      ...{ controller: true, blockOwnerDeletion: true },
    },
  ]);
  assert.deepEqual(set.metadata.annotations, {
    "deployment.kubernetes.io/revision": "1",
    "deployment.kubernetes.io/desired-replicas": "4",
    "deployment.kubernetes.io/max-replicas": "5",
  });
});

test("A new ReplicaSet keeps the expressions of the selector", () => {
  const matchExpressions = [{ key: "app", operator: "Exists" }];
  const set = newReplicaSet(
    deploymentOf({ replicas: 1, spec: { selector: { matchExpressions } } }),
    [],
  );
  assert.deepEqual(set.spec.selector?.matchExpressions, matchExpressions);
});

test("A new ReplicaSet has another name after a collision, and the same one otherwise", () => {
  const name = (collisionCount?: number): string | undefined =>
    newReplicaSet(deploymentOf({ replicas: 1, status: { collisionCount } }), []).metadata.name;
  assert.equal(name(), name());
  assert.equal(new Set([name(), name(0), name(1), name(2)]).size, 4);
});

test("The name of a new ReplicaSet is cut to what names may be long", () => {
  const deployment = deploymentOf({ replicas: 1 });
  deployment.metadata.name = "a".repeat(253);
  assert.equal(newReplicaSet(deployment, []).metadata.name?.length, 253);
});

test("The oldest ReplicaSet with the Deployment's template is current, whatever its hash", () => {
  const deployment = deploymentOf({ replicas: 1 });
  const first = replicaSetOf("first", { replicas: 1, image: "new", age: 2 });
  first.spec.template.metadata.labels = { app: "web", "pod-template-hash": "abc" };
  const second = replicaSetOf("second", { replicas: 1, image: "new", age: 3 });
  const other = replicaSetOf("other", { replicas: 1, age: 1 });
  const sets = sortReplicaSets(deployment, [second, first, other]);
  assert.deepEqual(sets, { current: first, old: [other, second] });
});

test("Templates are the same when they differ in what is absent only", () => {
  const template = templateOf("new");
  const explicit = { ...template, spec: { ...template.spec, volumes: [], nodeName: undefined } };
  assert.ok(isSameTemplate(template, explicit));
  assert.ok(!isSameTemplate(template, templateOf("old")));
});
