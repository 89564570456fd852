import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiObject } from "../../api/object.ts";
import type { Namespace } from "../../api/types.ts";
import { configMapStrategy } from "./config-map.ts";
import { eventStrategy, strictEventStrategy } from "./event.ts";
import { namespaceStrategy } from "./namespace.ts";
import { nodeStrategy } from "./node.ts";
import { secretStrategy } from "./secret.ts";
import { serviceAccountStrategy } from "./service-account.ts";
import type { Strategy } from "./strategy.ts";
import { created, received, statusUpdated, updated } from "./testing/strategy-steps.ts";

function labelsOf(strategy: Strategy, object: ApiObject): Record<string, string> {
  const labels = Object.entries(strategy.fieldLabels ?? {});
  return Object.fromEntries(labels.map(([name, value]) => [name, value(object)]));
}

describe("New ConfigMap", () => {
  it("is what was sent", () => {
    const value = { metadata: { name: "a", namespace: "n" }, data: { k: "v" } };
    assert.deepEqual(created(configMapStrategy, value), value);
  });
});

describe("New Secret", () => {
  it("has its texts as bytes and its type, and is found by it", () => {
    const secret = created(secretStrategy, {
      metadata: { name: "a", namespace: "n" },
      stringData: { k: "v" },
    });
    assert.equal(
      JSON.stringify(secret),
      '{"metadata":{"name":"a","namespace":"n"},"data":{"k":"dg=="},"type":"Opaque"}',
    );
    assert.deepEqual(labelsOf(secretStrategy, secret), { type: "Opaque" });
  });
});

describe("Namespace", () => {
  const made = created(namespaceStrategy, {
    metadata: { name: "n" },
    status: { phase: "Terminating" },
  }) as Namespace & ApiObject;

  it("is new: active, held, and labelled with its name", () => {
    assert.deepEqual(made, {
      metadata: { name: "n", labels: { "kubernetes.io/metadata.name": "n" } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
    assert.deepEqual(labelsOf(namespaceStrategy, made), { "status.phase": "Active" });
  });

  it("keeps the finalizers that somebody added to its spec", () => {
    const held = created(namespaceStrategy, {
      metadata: { name: "n" },
      spec: { finalizers: ["a.b/c"] },
    }) as Namespace & ApiObject;
    assert.deepEqual(held.spec.finalizers, ["a.b/c", "kubernetes"]);
  });

  it("cannot be let go or ended by an update of itself", () => {
    const next = updated(namespaceStrategy, made, {
      spec: { finalizers: [] },
      status: { phase: "Terminating" },
    }) as Namespace & ApiObject;
    assert.deepEqual(next.spec, made.spec);
    assert.deepEqual(next.status, made.status);
  });

  it("is let go through its own subresource, which changes no status", () => {
    const next = { ...structuredClone(made), spec: {}, status: {} } as Namespace & ApiObject;
    const finalize = namespaceStrategy.subresourceUpdates?.["finalize"];
    finalize?.prepare(next, made, { now: "", nowMs: 0, dryRun: false });
    assert.equal(next.spec.finalizers, undefined);
    assert.deepEqual(next.status, made.status);
    next.metadata.resourceVersion = "1";
    assert.deepEqual(finalize?.validate(next, made), []);
  });

  it("has a status that is written on its own", () => {
    const next = statusUpdated(namespaceStrategy, made, { spec: {} }) as Namespace & ApiObject;
    assert.deepEqual(next.spec, made.spec);
  });

  it("is terminating when it is deleted, without a change to what others see", () => {
    const marked = namespaceStrategy.markDeleted?.(made) as (Namespace & ApiObject) | undefined;
    assert.equal(marked?.status.phase, "Terminating");
    assert.equal(made.status.phase, "Active");
  });
});

describe("New ServiceAccount", () => {
  it("knows secrets by name only", () => {
    const account = created(serviceAccountStrategy, {
      metadata: { name: "a" },
      secrets: [{ name: "s", namespace: "other", uid: "u" }],
    });
    assert.deepEqual(account["secrets"], [{ name: "s" }]);
  });

  it("is warned of an annotation that is on its way out, once", () => {
    const key = "kubernetes.io/enforce-mountable-secrets";
    const account = created(serviceAccountStrategy, {
      metadata: { name: "a", annotations: { [key]: "true" } },
    });
    assert.deepEqual(serviceAccountStrategy.warnings?.(account, undefined), [
      `metadata.annotations[${key}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
    ]);
    assert.deepEqual(serviceAccountStrategy.warnings?.(account, account), []);
  });
});

describe("Node", () => {
  const made = created(nodeStrategy, { metadata: { name: "n" } });

  it("is new: with a taint until it is ready, and all of its empty status", () => {
    assert.equal(
      JSON.stringify(made),
      '{"metadata":{"name":"n"},"spec":{"taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}]},"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":0}},"nodeInfo":{"machineID":"","systemUUID":"","bootID":"","kernelVersion":"","osImage":"","containerRuntimeVersion":"","kubeletVersion":"","kubeProxyVersion":"","operatingSystem":"","architecture":""}}}',
    );
    assert.deepEqual(labelsOf(nodeStrategy, made), { "spec.unschedulable": "false" });
  });

  it("can use what it has, unless it says otherwise", () => {
    const node = received(nodeStrategy, {
      metadata: { name: "n" },
      status: { capacity: { cpu: "100001u" } },
    });
    const { allocatable } = node["status"] as { allocatable?: unknown };
    assert.deepEqual(allocatable, { cpu: "101m" });
  });

  it("has its first range also under the old name, which wins", () => {
    const cidrs = (spec: Record<string, string | string[]>) =>
      received(nodeStrategy, { metadata: { name: "n" }, spec })["spec"];
    const both = { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"] };
    assert.deepEqual(cidrs({ podCIDR: "10.0.0.0/24" }), both);
    assert.deepEqual(cidrs({ podCIDRs: ["10.0.0.0/24"] }), both);
    assert.deepEqual(cidrs({ podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.1.0/24"] }), both);
  });

  it("writes spec and status apart", () => {
    const spec = { unschedulable: true };
    const status = { phase: "Running" };
    assert.deepEqual(updated(nodeStrategy, made, { spec, status })["status"], made["status"]);
    assert.deepEqual(statusUpdated(nodeStrategy, made, { spec })["spec"], made["spec"]);
  });
});

describe("Event", () => {
  const event = received(eventStrategy, {
    metadata: { name: "e", namespace: "default" },
    involvedObject: { kind: "Pod", name: "x", namespace: "default" },
    reason: "Y",
    type: "Warning",
    source: { component: "kubelet" },
  });

  it("may be created by an update", () => {
    assert.equal(eventStrategy.createsOnUpdate, true);
    assert.equal(strictEventStrategy.createsOnUpdate, true);
    assert.deepEqual(eventStrategy.validate(event), []);
  });

  it("is found by what it is about and why", () => {
    const labels = labelsOf(eventStrategy, event);
    assert.equal(labels["involvedObject.kind"], "Pod");
    assert.equal(labels["source"], "kubelet");
    assert.equal(labels["reason"], "Y");
  });

  it("in the new form is judged strictly, under the names of the old one", () => {
    const strict = received(strictEventStrategy, {
      metadata: { name: "e", namespace: "default" },
      regarding: { kind: "Node" },
      reportingController: "c",
      reportingInstance: "i",
      action: "a",
      reason: "r",
    });
    assert.deepEqual(
      strictEventStrategy.validate(strict).map(({ field }) => field),
      ["eventTime", "type"],
    );
    assert.deepEqual(labelsOf(strictEventStrategy, strict)["regarding.kind"], "Node");
  });
});
