import { equal } from "node:assert/strict";
import { describe, it } from "node:test";
import type { Container, PodSpec } from "../../../api/types.ts";
import { memorySize } from "./memory-size.ts";
import { podWith } from "./testing/plugin-bench.ts";

const GI = 2 ** 30;
const allocatable = { memory: "16Gi" };

function container(memory: string | undefined, restartPolicy?: string): Container {
  const resources = memory === undefined ? {} : { limits: { memory } };
  return { name: "c", resources, ...(restartPolicy && { restartPolicy }) } as unknown as Container;
}

function sizeOf(spec: Partial<PodSpec>, sizeLimit?: string): number | undefined {
  return memorySize({ pod: podWith(spec), allocatable, sizeLimit });
}

describe("memorySize", () => {
  it("F3: is what the volume wants, if that is least", () => {
    equal(sizeOf({ containers: [container("10Gi")] }, "1Gi"), GI);
  });

  it("F4: is the pod's limit if the volume says nothing", () => {
    equal(sizeOf({ containers: [container("10Gi")] }, "0"), 10 * GI);
    equal(sizeOf({ containers: [container("10Gi")] }), 10 * GI);
  });

  it("F5: is what the node has if a container has no limit", () => {
    equal(sizeOf({ containers: [container("10Gi"), container(undefined)] }), 16 * GI);
  });

  it("F6: is nothing if nobody says anything", () => {
    equal(memorySize({ pod: podWith(), allocatable: {} }), undefined);
  });

  it("is never more than the node has", () => {
    equal(sizeOf({ containers: [container("100Gi")] }, "50Gi"), 16 * GI);
  });

  it("prefers a limit of the whole pod, and adds its overhead", () => {
    const resources = { limits: { memory: "2Gi" } };
    const overhead = { memory: "1Gi" };
    equal(sizeOf({ containers: [container(undefined)], resources, overhead }), 3 * GI);
  });

  it("counts init containers one by one, and those that stay beside all that follow", () => {
    const initContainers = [container("1Gi", "Always"), container("7Gi")];
    equal(sizeOf({ initContainers, containers: [container("2Gi")] }), 8 * GI);
    equal(sizeOf({ initContainers, containers: [container("9Gi")] }), 10 * GI);
  });
});
