import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itAccepts, itRefuses } from "./testing/refusals.ts";
import { created, merged, strategyFor } from "./testing/writes.ts";

const good = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "x" },
  spec: { holderIdentity: "me", leaseDurationSeconds: 15 },
};

describe("Lease", () => {
  itAccepts(good);

  itRefuses(good, [
    [
      "a duration of nothing",
      { spec: { leaseDurationSeconds: 0 } },
      "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
    ],
    [
      "fewer transitions than none",
      { spec: { leaseTransitions: -1 } },
      "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
    ],
  ]);

  it("can be created with PUT, and is not overwritten blindly", () => {
    const { createsOnUpdate, requiresResourceVersion } = strategyFor(
      "coordination.k8s.io/v1",
      "Lease",
    );
    assert.deepEqual([createsOnUpdate, requiresResourceVersion], [true, true]);
  });

  it("drops the fields of an election that is not offered", () => {
    const { object } = created(merged(good, { spec: { strategy: "x", preferredHolder: "y" } }));
    assert.deepEqual(object["spec"], good.spec);
  });
});
