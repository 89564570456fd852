import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ManagedFieldsEntry } from "../types.ts";
import { parentManagedFields, scaleManagedFields } from "./scale-fields.ts";

const kind = { apiVersion: "apps/v1", path: "spec.replicas" };
const time = "2026-01-01T00:00:00Z";

function entry(manager: string, fields: ManagedFieldsEntry): ManagedFieldsEntry {
  return {
    manager,
    operation: "Apply",
    apiVersion: "apps/v1",
    time,
    fieldsType: "FieldsV1",
    ...fields,
  };
}

const parent = [
  entry("m1", { fieldsV1: { "f:spec": { "f:replicas": {}, "f:selector": {} } } }),
  entry("m2", { fieldsV1: { "f:spec": { "f:template": {} } } }),
];

describe("scaleManagedFields", () => {
  it("shows the owners of the replicas, in the version of a Scale", () => {
    assert.deepEqual(scaleManagedFields(parent, kind), [
      entry("m1", { apiVersion: "autoscaling/v1", fieldsV1: { "f:spec": { "f:replicas": {} } } }),
    ]);
  });
});

describe("parentManagedFields", () => {
  it("gives the replicas to who scaled, without a time", () => {
    const hpa = entry("hpa", {
      operation: "Update",
      apiVersion: "autoscaling/v1",
      fieldsV1: { "f:spec": { "f:replicas": {} } },
      subresource: "scale",
    });
    assert.deepEqual(parentManagedFields(parent, [hpa], kind), [
      entry("m1", { fieldsV1: { "f:spec": { "f:selector": {} } } }),
      entry("m2", { fieldsV1: { "f:spec": { "f:template": {} } } }),
      {
        manager: "hpa",
        operation: "Update",
        apiVersion: "apps/v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": { "f:replicas": {} } },
        subresource: "scale",
      },
    ]);
  });

  it("leaves an applier alone that still owns the replicas", () => {
    assert.deepEqual(parentManagedFields(parent, scaleManagedFields(parent, kind), kind), parent);
  });

  it("drops an owner of nothing but the replicas once they are another's", () => {
    const only = [entry("m1", { fieldsV1: { "f:spec": { "f:replicas": {} } } })];
    assert.deepEqual(parentManagedFields(only, [], kind), []);
  });
});
