import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../api/json.ts";
import type { ApiObject } from "../../api/object.ts";
import type { Pod } from "../../api/types.ts";
import { podStrategy } from "./pod.ts";
import { created, statusUpdated, updated } from "./testing/strategy-steps.ts";

function newPod(spec: JsonObject = {}, metadata: JsonObject = {}): Pod & ApiObject {
  return created(podStrategy, {
    metadata: { name: "p", ...metadata },
    spec: { containers: [{ name: "c", image: "nginx" }], ...spec },
  }) as Pod & ApiObject;
}

describe("New pod", () => {
  it("is what the API makes of it, field by field", () => {
    assert.equal(
      JSON.stringify(newPod({}, { labels: { app: "p" } })),
      '{"metadata":{"name":"p","namespace":"default","labels":{"app":"p"}},"spec":{"containers":[{"name":"c","image":"nginx","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"Always"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler","tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],"priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"},"status":{"phase":"Pending","qosClass":"BestEffort"}}',
    );
  });

  it("has the status that the server gives it, whatever was sent", () => {
    const { status } = created(podStrategy, {
      metadata: { name: "p" },
      spec: { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "1" } } }] },
      status: { phase: "Running", podIP: "1.1.1.1" },
    }) as Pod & ApiObject;
    assert.deepEqual(status, { phase: "Pending", qosClass: "Burstable" });
  });

  it("is not scheduled while it waits at a gate, and says so", () => {
    assert.deepEqual(newPod({ schedulingGates: [{ name: "g" }] }).status.conditions, [
      {
        type: "PodScheduled",
        status: "False",
        lastProbeTime: null,
        lastTransitionTime: null,
        reason: "SchedulingGated",
        message: "Scheduling is blocked due to non-empty scheduling gates",
      },
    ]);
  });

  it("keeps tolerations that cover the two that every pod has", () => {
    const tolerations = [{ operator: "Exists" }];
    assert.deepEqual(newPod({ tolerations }).spec.tolerations, tolerations);
  });

  it("has the priority of the system's classes", () => {
    assert.equal(
      newPod({ priorityClassName: "system-node-critical" }).spec.priority,
      2_000_001_000,
    );
    assert.equal(newPod({ priorityClassName: "constructor" }).spec.priority, 0);
  });

  it("is spread among pods with its own values of the named labels, also when tried again", () => {
    const topologySpreadConstraints = [
      {
        maxSkew: 1,
        topologyKey: "z",
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: {},
        matchLabelKeys: ["version", "missing"],
      },
    ];
    const pod = newPod({ topologySpreadConstraints }, { labels: { version: "1" } });
    podStrategy.prepareForCreate?.(pod, { now: "", nowMs: 0, dryRun: false });
    assert.deepEqual(pod.spec.topologySpreadConstraints?.[0]?.labelSelector, {
      matchExpressions: [{ key: "version", operator: "In", values: ["1"] }],
    });
  });

  it("has the field that replaced an annotation, and a warning", () => {
    const key = "container.apparmor.security.beta.kubernetes.io/c";
    const pod = newPod({}, { annotations: { [key]: "localhost/x" } });
    assert.deepEqual(pod.spec.containers?.[0]?.securityContext?.appArmorProfile, {
      type: "Localhost",
      localhostProfile: "x",
    });
    assert.deepEqual(podStrategy.warnings?.(pod, undefined), [
      `metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`,
    ]);
  });

  it("loses fields of features that are off", () => {
    const pod = newPod({
      containers: [{ name: "c", image: "i", lifecycle: { stopSignal: "SIGUSR1" } }],
      schedulingGroup: { podGroupName: "g" },
    });
    assert.deepEqual(pod.spec.containers?.[0]?.lifecycle, {});
    assert.equal(pod.spec.schedulingGroup, undefined);
  });

  it("is warned of a name that is no name of a host", () => {
    assert.deepEqual(podStrategy.warnings?.(newPod({}, { name: "a.b" }), undefined), [
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    ]);
  });
});

describe("Update of a pod", () => {
  it("does not touch the status", () => {
    const old = newPod();
    const pod = updated(podStrategy, old, { status: { phase: "Failed" } }) as Pod & ApiObject;
    assert.deepEqual(pod.status, old.status);
  });

  it("through the status touches nothing else, and loses nothing that it does not know", () => {
    const old = newPod(
      {},
      { ownerReferences: [{ apiVersion: "v1", kind: "A", name: "a", uid: "u" }] },
    );
    old.status.observedGeneration = 3;
    old.status.conditions = [{ type: "Ready", status: "False", observedGeneration: 2 }];
    const pod = statusUpdated(podStrategy, old, {
      metadata: { ...old.metadata, ownerReferences: [] } as unknown as JsonObject,
      spec: {},
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    }) as Pod & ApiObject;
    assert.deepEqual(pod.spec, old.spec);
    assert.deepEqual(pod.metadata.ownerReferences, old.metadata.ownerReferences);
    assert.deepEqual(pod.status, {
      observedGeneration: 3,
      phase: "Running",
      conditions: [{ type: "Ready", observedGeneration: 2, status: "True" }],
      qosClass: "BestEffort",
      resourceClaimStatuses: undefined,
      extendedResourceClaimStatus: undefined,
      nodeAllocatableResourceClaimStatuses: undefined,
    });
  });

  it("through its own subresource adds ephemeral containers and nothing else", () => {
    const old = newPod({ nodeName: "n" }, { resourceVersion: "1" });
    const pod = structuredClone(old);
    pod.spec.ephemeralContainers = [{ name: "d", image: "i", resources: {} }];
    pod.spec.restartPolicy = "Never";
    podStrategy.applyDefaults?.(pod);
    const update = podStrategy.subresourceUpdates?.["ephemeralcontainers"];
    update?.prepare(pod, old, { now: "", nowMs: 0, dryRun: false });
    assert.equal(pod.spec.restartPolicy, "Always");
    assert.equal(pod.spec.ephemeralContainers.length, 1);
    assert.deepEqual(update?.validate(pod, old), []);
  });
});

describe("Deletion of a pod", () => {
  const grace = (spec: JsonObject, phase: string, requested?: number) => {
    const pod = newPod(spec);
    pod.status.phase = phase;
    return podStrategy.gracePeriod?.(pod, requested)?.seconds;
  };

  it("takes the time that the pod asks for, or the client", () => {
    assert.equal(grace({ nodeName: "n" }, "Running"), 30);
    assert.equal(grace({ nodeName: "n", terminationGracePeriodSeconds: 5 }, "Running"), 5);
    assert.equal(grace({ nodeName: "n" }, "Running", 7), 7);
    assert.equal(grace({ nodeName: "n" }, "Running", 0), 0);
    assert.equal(grace({ nodeName: "n" }, "Running", -1), 1);
  });

  it("takes no time if the pod has no node or is over", () => {
    assert.equal(grace({}, "Pending"), 0);
    assert.equal(grace({ nodeName: "n" }, "Succeeded"), 0);
    assert.equal(grace({ nodeName: "n" }, "Failed", 10), 0);
  });
});

describe("Field labels of pods", () => {
  it("show what the API lets clients select by", () => {
    const pod = newPod({ nodeName: "n", hostNetwork: true });
    const labels = podStrategy.fieldLabels ?? {};
    const shown = Object.fromEntries(
      Object.entries(labels).map(([name, value]) => [name, value(pod)]),
    );
    assert.deepEqual(shown, {
      "spec.nodeName": "n",
      "spec.host": "n",
      "spec.restartPolicy": "Always",
      "spec.schedulerName": "default-scheduler",
      "spec.serviceAccountName": "",
      "spec.hostNetwork": "true",
      "status.phase": "Pending",
      "status.podIP": "",
      "status.podIPs": "",
      "status.nominatedNodeName": "",
    });
  });
});
