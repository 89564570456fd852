import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { scaleOf, withReplicas } from "./scale.ts";
import { podTemplate, workload } from "./testing/workloads.ts";
import { created, merged } from "./testing/writes.ts";

describe("Scale", () => {
  it("shows how many a Deployment has and should have, and whom it selects", () => {
    const { object } = created(workload("Deployment", { replicas: 3 }));
    assert.equal(
      JSON.stringify(scaleOf(object)),
      JSON.stringify({
        kind: "Scale",
        apiVersion: "autoscaling/v1",
        metadata: {
          name: "x",
          namespace: "ns",
          uid: "uid-1",
          resourceVersion: "1",
          creationTimestamp: "2026-01-02T03:04:05Z",
        },
        spec: { replicas: 3 },
        status: { replicas: 0, selector: "app=x" },
      }),
    );
  });

  it("writes a selector as text, sorted by key", () => {
    const selector = {
      matchLabels: { app: "x" },
      matchExpressions: [
        { key: "tier", operator: "In", values: ["b", "a"] },
        { key: "env", operator: "NotIn", values: ["dev"] },
        { key: "a", operator: "Exists" },
        { key: "z", operator: "DoesNotExist" },
      ],
    };
    const { object } = created(workload("ReplicaSet", { selector }));
    const text = "a,app=x,env notin (dev),tier in (a,b),!z";
    assert.deepEqual(scaleOf(object).status, { replicas: 0, selector: text });
  });

  it("leaves zero out, as the API does", () => {
    assert.deepEqual(scaleOf(created(workload("Deployment", { replicas: 0 })).object).spec, {});
  });

  it("reads the labels that a ReplicationController selects by", () => {
    const controller = {
      apiVersion: "v1",
      kind: "ReplicationController",
      spec: { template: podTemplate() },
    };
    assert.equal(scaleOf(created(controller).object).status.selector, "app=x");
  });

  it("sets the number in a copy", () => {
    const { object } = created(workload("Deployment"));
    const before = JSON.stringify(object);
    const scaled = withReplicas(object, 7);
    assert.equal(scaleOf(scaled).spec.replicas, 7);
    assert.equal(JSON.stringify(object), before);
    assert.deepEqual(Object.keys(scaled["spec"] as object), Object.keys(object["spec"] as object));
    assert.deepEqual(merged(scaled, { spec: { replicas: 1 } }), object);
  });
});
