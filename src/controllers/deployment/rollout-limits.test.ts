import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { maxSurge, maxUnavailable, minAvailable } from "./rollout-limits.ts";
import { deploymentOf } from "./testing/rollout-objects.ts";

type Row = readonly [
  what: string,
  given: { replicas: number; maxSurge: number | string; maxUnavailable: number | string },
  surge: number,
  unavailable: number,
];

const rows: readonly Row[] = [
  ["numbers are taken as they are", { replicas: 10, maxSurge: 3, maxUnavailable: 2 }, 3, 2],
  [
    "surge is rounded up, missing pods down",
    { replicas: 10, maxSurge: "39%", maxUnavailable: "39%" },
    4,
    3,
  ],
  [
    "the default of one pod is one more first",
    { replicas: 1, maxSurge: "25%", maxUnavailable: "25%" },
    1,
    0,
  ],
  ["no room at all becomes one pod less", { replicas: 1, maxSurge: 0, maxUnavailable: "1%" }, 0, 1],
  ["no room of none at all is none", { replicas: 0, maxSurge: "0%", maxUnavailable: "0%" }, 0, 0],
  ["no more can be missing than there are", { replicas: 5, maxSurge: 1, maxUnavailable: 10 }, 1, 5],
  ["of none none can be missing", { replicas: 0, maxSurge: 1, maxUnavailable: 10 }, 1, 0],
  [
    "more than all in surge is allowed",
    { replicas: 3, maxSurge: "200%", maxUnavailable: "100%" },
    6,
    3,
  ],
];

describe("The limits of a rolling update", () => {
  for (const [what, given, surge, unavailable] of rows) {
    test(what, () => {
      const deployment = deploymentOf(given);
      assert.equal(maxSurge(deployment), surge);
      assert.equal(maxUnavailable(deployment), unavailable);
      assert.equal(minAvailable(deployment), given.replicas - unavailable);
    });
  }

  test("are the default of nothing: one pod less", () => {
    const deployment = deploymentOf({ replicas: 4, spec: { strategy: { type: "RollingUpdate" } } });
    assert.deepEqual([maxSurge(deployment), maxUnavailable(deployment)], [0, 1]);
  });

  test("mean nothing to Recreate", () => {
    const deployment = deploymentOf({ replicas: 10, type: "Recreate" });
    assert.deepEqual([maxSurge(deployment), maxUnavailable(deployment)], [0, 0]);
  });

  test("are refused when they are neither a number nor a share", () => {
    const deployment = deploymentOf({ replicas: 10, maxSurge: "oops" });
    assert.throws(() => maxSurge(deployment), /oops is not a percentage/);
  });
});
