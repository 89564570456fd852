import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Container, Pod, ResourceRequirements } from "../../api/types.ts";
import { containerResources } from "./container-resources.ts";

const Gi = 1024 ** 3;

function resourcesOf(
  resources: ResourceRequirements,
  spec: Partial<Pod["spec"]> = {},
): ReturnType<typeof containerResources> {
  const container: Container = { name: "main", resources };
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web" },
    spec: { containers: [container], ...spec },
    status: {},
  };
  return containerResources({ pod, container, memoryCapacity: 10 * Gi, pidsLimit: undefined });
}

describe("containerResources", () => {
  it("limits nothing if nothing is said, and lets it be killed first", () => {
    assert.deepEqual(resourcesOf({}), {
      memoryLimitBytes: undefined,
      milliCpuRequest: 0,
      milliCpuLimit: undefined,
      pidsLimit: undefined,
      oomScoreAdjust: 1000,
    });
  });

  it("reads limits and requests, and takes the limit for a request that is missing", () => {
    const limits = { cpu: "1500m", memory: "64Mi" };
    const both = resourcesOf({ limits, requests: { cpu: "0.25" } });
    assert.equal(both.memoryLimitBytes, 64 * 1024 * 1024);
    assert.equal(both.milliCpuLimit, 1500);
    assert.equal(both.milliCpuRequest, 250);
    assert.equal(resourcesOf({ limits }).milliCpuRequest, 1500);
    assert.equal(resourcesOf({ limits, requests: { cpu: "0" } }).milliCpuRequest, 0);
  });

  it("falls back to the limits of the pod", () => {
    const ofPod = { resources: { limits: { cpu: "2", memory: "1Gi" } } };
    assert.equal(resourcesOf({}, ofPod).memoryLimitBytes, Gi);
    assert.equal(resourcesOf({}, ofPod).milliCpuLimit, 2000);
    assert.equal(resourcesOf({ limits: { memory: "1Mi" } }, ofPod).memoryLimitBytes, 1024 * 1024);
  });

  const score = (...args: Parameters<typeof resourcesOf>): number =>
    resourcesOf(...args).oomScoreAdjust;

  it("kills guaranteed and critical pods last", () => {
    const all = { cpu: "1", memory: "1Gi" };
    assert.equal(score({ limits: all, requests: all }), -997);
    assert.equal(score({}, { priorityClassName: "system-node-critical" }), -997);
  });

  it("kills others the later the more memory they asked for, but never like another class", () => {
    const asking = (memory: string) => ({ requests: { memory } });
    assert.equal(score(asking("1Gi")), 900);
    assert.equal(score(asking("5Gi")), 500);
    assert.equal(score(asking("100Gi")), 3);
    assert.equal(score(asking("1")), 999);
    assert.equal(score({ requests: { cpu: "1" } }), 999);
  });

  it("kills a sidecar no earlier than what it serves", () => {
    const sidecar: Container = {
      name: "main",
      restartPolicy: "Always",
      resources: { requests: { memory: "1Gi" } },
    };
    const served = (memory: string): Partial<Pod["spec"]> => ({
      initContainers: [sidecar],
      containers: [{ name: "app", resources: { requests: { memory } } }],
    });
    assert.equal(score(sidecar.resources, served("4Gi")), 600);
    assert.equal(score(sidecar.resources, served("1Mi")), 900);
  });

  it("shares out among the containers what the pod asks for beyond them", () => {
    assert.equal(
      score({ requests: { memory: "1Gi" } }, { resources: { requests: { memory: "3Gi" } } }),
      700,
    );
  });
});
