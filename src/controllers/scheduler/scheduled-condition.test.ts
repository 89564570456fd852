import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { unscheduledPatch } from "./scheduled-condition.ts";
import { podObject } from "./testing/scheduling-objects.ts";

const nowMs = Date.UTC(2024, 0, 1);
const why = { reason: "Unschedulable", message: "no room" } as const;

describe("unscheduledPatch", () => {
  it("says why, since when and of which pod", () => {
    const pod = podObject("p");
    pod.metadata.generation = 3;
    assert.deepEqual(unscheduledPatch(pod, why, nowMs), {
      metadata: { uid: pod.metadata.uid },
      status: {
        conditions: [
          {
            type: "PodScheduled",
            observedGeneration: 3,
            status: "False",
            lastProbeTime: null,
            lastTransitionTime: "2024-01-01T00:00:00Z",
            ...why,
          },
        ],
      },
    });
  });

  const held = {
    type: "PodScheduled",
    status: "False",
    lastTransitionTime: "2023-01-01T00:00:00Z",
  };

  it("keeps the time at which it became so when only the reason changes", () => {
    const pod = podObject("p");
    pod.status.conditions = [{ ...held, reason: "SchedulingGated", message: "gates" }];
    assert.partialDeepStrictEqual(unscheduledPatch(pod, why, nowMs) ?? {}, {
      status: { conditions: [{ lastTransitionTime: "2023-01-01T00:00:00Z", ...why }] },
    });
  });

  it("is nothing where the pod says so already", () => {
    const pod = podObject("p");
    pod.status.conditions = [{ ...held, ...why }];
    assert.equal(unscheduledPatch(pod, why, nowMs), undefined);
  });
});
