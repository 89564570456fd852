import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod } from "../../../api/types.ts";
import { objectOf } from "../testing/requests.ts";
import { warningsAbout } from "./existing-pods.ts";
import { LATEST } from "./policy.ts";

describe("Of more pods than can be looked at", () => {
  it("those that are unlike the others are looked at first, and the rest is told", () => {
    const replica = objectOf("v1 Pod", {
      metadata: {
        name: "replica",
        ownerReferences: [{ apiVersion: "v1", kind: "X", name: "x", uid: "1", controller: true }],
      },
    }) as unknown as Pod;
    const single = objectOf("v1 Pod", {
      metadata: { name: "single" },
      spec: { hostPID: true },
    }) as unknown as Pod;
    const pods = [...Array.from({ length: 3000 }, () => replica), single];
    const enforce = { level: "baseline", version: LATEST } as const;
    assert.deepEqual(warningsAbout({ namespace: "n", pods, enforce }), [
      "new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods",
      'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"',
      "single: host namespaces",
    ]);
  });
});
