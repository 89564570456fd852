import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiObject } from "../api/object.ts";
import type { ManagedFieldsEntry } from "../api/types.ts";
import { LAST_APPLIED, takeOverPatch, withLastApplied } from "./applied-before.ts";

function entry(manager: string, operation: string, fields: readonly string[]): ManagedFieldsEntry {
  const data = Object.fromEntries(fields.map((name) => [`f:${name}`, {}]));
  return {
    manager,
    operation,
    apiVersion: "v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": data },
  };
}

function live(
  managedFields: ManagedFieldsEntry[],
  annotations = { [LAST_APPLIED]: "{}" },
): ApiObject {
  return { metadata: { name: "a", resourceVersion: "7", annotations, managedFields } };
}

const kubectl = entry("kubectl-client-side-apply", "Update", ["a", "b"]);
const edit = entry("kubectl-edit", "Update", ["c"]);

describe("An object that kubectl apply made", () => {
  it("is taken over with its fields, and with the version that was looked at", () => {
    const patch = takeOverPatch(live([kubectl, edit]), "driftless");
    deepEqual(patch, [
      {
        op: "replace",
        path: "/metadata/managedFields",
        value: [entry("driftless", "Apply", ["a", "b"]), edit],
      },
      { op: "replace", path: "/metadata/resourceVersion", value: "7" },
    ]);
  });

  it("adds its fields to those that are ours already", () => {
    const [replaced] =
      takeOverPatch(live([entry("driftless", "Apply", ["a", "z"]), kubectl]), "driftless") ?? [];
    const { value } = replaced as { readonly value: readonly ManagedFieldsEntry[] };
    deepEqual(value, [entry("driftless", "Apply", ["a", "b", "z"])]);
  });

  it("keeps kubectl's annotation true", () => {
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
      data: { k: "v" },
    };
    const { annotations } = withLastApplied(object, live([])).metadata;
    equal(
      annotations?.[LAST_APPLIED],
      '{"apiVersion":"v1","data":{"k":"v"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"a"}}\n',
    );
  });
});

describe("An object that others made", () => {
  it("is left to them", () => {
    equal(takeOverPatch(live([edit]), "driftless"), undefined);
    equal(
      takeOverPatch({ metadata: { name: "a", managedFields: [kubectl] } }, "driftless"),
      undefined,
    );
  });

  it("gets no annotation of kubectl", () => {
    const object = { metadata: { name: "a" } };
    equal(withLastApplied(object, { metadata: { name: "a" } }), object);
    equal(withLastApplied(object, undefined), object);
  });
});
