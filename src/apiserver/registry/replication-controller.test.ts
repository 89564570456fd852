import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itAccepts, itRefuses } from "./testing/refusals.ts";
import { podTemplate } from "./testing/workloads.ts";
import { created, strategyFor } from "./testing/writes.ts";

const good = {
  apiVersion: "v1",
  kind: "ReplicationController",
  metadata: { name: "x" },
  spec: { template: podTemplate() },
};

describe("ReplicationController", () => {
  itAccepts(good);

  itRefuses(good, [
    [
      "no template",
      { spec: { template: null } },
      "spec.selector: Required value",
      "spec.template: Required value",
    ],
    [
      "a selector that does not match, and a negative number",
      { spec: { selector: { app: "y" }, replicas: -1 } },
      'spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`',
      "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
    ],
    [
      "a deadline for pods",
      { spec: { template: podTemplate({ activeDeadlineSeconds: 5 }) } },
      "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported",
    ],
  ]);

  it("selects the pods that it makes, and is labelled like them", () => {
    const { metadata, spec } = created(good).object;
    const { selector, replicas } = spec as Record<string, unknown>;
    assert.deepEqual([selector, replicas], [{ app: "x" }, 1]);
    assert.deepEqual(metadata.labels, { app: "x" });
  });

  it("can be selected by status.replicas, and leaves its pods when it goes", () => {
    const { fieldLabels, defaultPropagation } = strategyFor("v1", "ReplicationController");
    assert.equal(fieldLabels?.["status.replicas"]?.(created(good).object), "0");
    assert.equal(defaultPropagation, "Orphan");
  });
});
