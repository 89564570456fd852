import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Pod, ResourceRequirements } from "../../api/types.ts";
import { allocatableForPod, containerResourceValue, resourceFieldValue } from "./resource-field.ts";

const allocatable = {
  cpu: "3500m",
  memory: "2Gi",
  "ephemeral-storage": "10Gi",
  "hugepages-2Mi": "4Mi",
};

function podWith(resources: ResourceRequirements, as: "containers" | "initContainers"): Pod {
  const list = [
    { name: "other", resources: {} },
    { name: "main", resources },
  ];
  return { metadata: {}, spec: { containers: [], [as]: list }, status: {} };
}

describe("resourceFieldValue", () => {
  type Case = readonly [
    id: string,
    ResourceRequirements,
    resource: string,
    divisor: string | undefined,
    value: string,
  ];
  const cases: readonly Case[] = [
    ["D23", { limits: { cpu: "9" } }, "limits.cpu", undefined, "9"],
    ["D23", { limits: { cpu: "9" } }, "limits.cpu", "0", "9"],
    ["D24", {}, "requests.cpu", undefined, "0"],
    ["D25", { requests: { cpu: "100m" } }, "requests.cpu", "1", "1"],
    ["D26", { requests: { cpu: "1200m" } }, "requests.cpu", "100m", "12"],
    ["D27", { requests: { memory: "100Mi" } }, "requests.memory", undefined, "104857600"],
    ["D27", { requests: { memory: "100Mi" } }, "requests.memory", "1Mi", "100"],
    ["-", {}, "limits.cpu", undefined, "4"],
    ["-", {}, "limits.cpu", "1m", "3500"],
    ["-", { limits: { memory: "0" } }, "limits.memory", "1Gi", "2"],
    ["-", {}, "limits.ephemeral-storage", "1Mi", "10240"],
    ["-", {}, "requests.memory", undefined, "0"],
    ["-", { limits: { "hugepages-2Mi": "6Mi" } }, "limits.hugepages-2Mi", "1Mi", "6"],
    ["-", {}, "limits.hugepages-2Mi", undefined, "0"],
    ["-", { requests: { "hugepages-1Gi": "1Gi" } }, "requests.hugepages-1Gi", "1Mi", "1024"],
    // 2^53 + 1 bytes: floating point would lose the last one.
    ["-", { limits: { memory: "9007199254740993" } }, "limits.memory", "1", "9007199254740993"],
  ];
  for (const [id, resources, resource, divisor, value] of cases) {
    for (const as of ["containers", "initContainers"] as const) {
      const told = `${JSON.stringify(resources)} as ${resource} by ${divisor ?? "nothing"}`;
      it(`${as === "containers" ? id : "D28"}: shows ${told} for ${as}`, () => {
        const pod = podWith(resources, as);
        const shown = resourceFieldValue({
          pod,
          containerName: "main",
          resource,
          divisor,
          allocatable,
        });
        assert.equal(shown, value);
      });
    }
  }

  it("fails for a container that the pod does not have", () => {
    const of = {
      pod: podWith({}, "containers"),
      resource: "limits.cpu",
      divisor: "1",
      allocatable,
    };
    assert.throws(
      () => resourceFieldValue({ ...of, containerName: "no" }),
      /^Error: container no not found$/,
    );
  });

  for (const resource of ["limits.disk", "hugepages-2Mi", "limits", "", "overhead.cpu"]) {
    it(`fails for ${JSON.stringify(resource)}`, () => {
      const of = { resources: {}, resource, divisor: undefined, allocatable };
      assert.throws(() => containerResourceValue(of), {
        message: `unsupported container resource : ${resource}`,
      });
    });
  }

  it("is the smallest whole number of units that holds the amount", () => {
    const milli = fc.integer({ min: 1, max: 10_000_000 });
    fc.assert(
      fc.property(milli, fc.integer({ min: 1, max: 100_000 }), (cpu, unit) => {
        const of = { resources: { limits: { cpu: `${cpu}m` } }, divisor: `${unit}m`, allocatable };
        const units = Number(containerResourceValue({ ...of, resource: "limits.cpu" }));
        assert.ok(units * unit >= cpu && (units - 1) * unit < cpu);
      }),
    );
  });
});

describe("allocatableForPod", () => {
  it("puts the limits of the whole pod before what the node has, for what a pod can limit", () => {
    const limits = { cpu: "1", memory: "0", "ephemeral-storage": "1Gi" };
    const pod: Pod = { metadata: {}, spec: { resources: { limits } }, status: {} };
    assert.deepEqual(allocatableForPod(pod, allocatable), { ...allocatable, cpu: "1" });
  });
});
