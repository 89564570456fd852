import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Container, PodSpec } from "../../api/types.ts";
import { guessedRequests, podRequests, resourcesOf } from "./pod-resources.ts";

function container(requests: Record<string, string>, more: Partial<Container> = {}): Container {
  return { name: "c", resources: { requests }, ...more };
}

const sidecar = (cpu: string): Container => container({ cpu }, { restartPolicy: "Always" });

function cpuOf(spec: PodSpec): number | undefined {
  return podRequests(spec).get("cpu");
}

describe("what a pod asks for", () => {
  const cases: readonly (readonly [string, PodSpec, number | undefined])[] = [
    ["nothing", { containers: [container({})] }, undefined],
    [
      "the sum of its containers",
      { containers: [container({ cpu: "1" }), container({ cpu: "250m" })] },
      1250,
    ],
    [
      "an init container that needs more than all of them",
      {
        containers: [container({ cpu: "1" })],
        initContainers: [container({ cpu: "3" }), container({ cpu: "2" })],
      },
      3000,
    ],
    [
      "an init container that needs less",
      { containers: [container({ cpu: "2" })], initContainers: [container({ cpu: "1" })] },
      2000,
    ],
    [
      "sidecars and containers together",
      { containers: [container({ cpu: "1" })], initContainers: [sidecar("2")] },
      3000,
    ],
    [
      "an init container together with the sidecars before it",
      {
        containers: [container({ cpu: "1" })],
        initContainers: [sidecar("2"), container({ cpu: "3" })],
      },
      5000,
    ],
    [
      "an init container without the sidecars after it",
      {
        containers: [container({ cpu: "1" })],
        initContainers: [container({ cpu: "3" }), sidecar("1")],
      },
      3000,
    ],
    [
      "what running it costs",
      { containers: [container({ cpu: "1" })], overhead: { cpu: "100m" } },
      1100,
    ],
    [
      "what the pod as a whole says, in place of its containers",
      {
        containers: [container({ cpu: "1" })],
        resources: { requests: { cpu: "4" } },
        overhead: { cpu: "1" },
      },
      5000,
    ],
    ["less than a thousandth counts as one", { containers: [container({ cpu: "1u" })] }, 1],
    ["what is no quantity counts as nothing", { containers: [container({ cpu: "much" })] }, 0],
  ];
  for (const [name, spec, expected] of cases) {
    it(name, () => assert.equal(cpuOf(spec), expected));
  }

  it("is in bytes for memory and in pieces for the rest", () => {
    assert.deepEqual(
      [...resourcesOf({ memory: "1Ki", pods: "110", "example.com/gpu": "2" })],
      [
        ["memory", 1024],
        ["pods", 110],
        ["example.com/gpu", 2],
      ],
    );
  });

  it("is guessed for scores where a container does not say", () => {
    const guessed = guessedRequests({ containers: [container({}), container({ cpu: "1" })] });
    assert.equal(guessed.get("cpu"), 1100);
    assert.equal(guessed.get("memory"), 2 * 200 * 1024 * 1024);
  });
});
