import assert from "node:assert/strict";
import { test } from "node:test";
import { forbidden } from "../../api/status-error.ts";
import { isNamespaceTerminating, podOf } from "./pod-control.ts";
import { POD, servedKind } from "./pod-object.ts";

const owner = { metadata: { name: "web", namespace: "shop", uid: "u1" } };

test("A pod has what its template says, its owner, and the beginning of a name", () => {
  const template = {
    metadata: {
      labels: { app: "web" },
      annotations: { a: "b" },
      finalizers: ["x.y/z"],
      name: "no",
    },
    spec: { containers: [{ name: "c", image: "i", resources: {} }] },
  };
  const pod = podOf(template, owner, servedKind("apps/v1", "ReplicaSet"));
  assert.deepEqual(pod.metadata, {
    generateName: "web-",
    namespace: "shop",
    labels: { app: "web" },
    annotations: { a: "b" },
    finalizers: ["x.y/z"],
    ownerReferences: [
      {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: "web",
        uid: "u1",
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  });
  assert.deepEqual(pod.spec, template.spec);
});

test("Only a refusal that says so means that the namespace goes", () => {
  const why = "because it is being terminated";
  const causes = [{ reason: "NamespaceTerminating" }];
  assert.ok(isNamespaceTerminating(forbidden({ ...POD }, "p", why, causes)));
  assert.ok(!isNamespaceTerminating(forbidden({ ...POD }, "p", why)));
  assert.ok(!isNamespaceTerminating(new Error(why)));
});
