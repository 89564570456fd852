import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../json.ts";
import type { Namespace } from "../types.ts";
import {
  validateNamespace,
  validateNamespaceFinalizeUpdate,
  validateNamespaceStatusUpdate,
} from "./namespace.ts";
import { decoded, told } from "./testing/judged.ts";

function namespace(value: JsonObject, metadata: JsonObject = {}): Namespace {
  const base = { name: "n", resourceVersion: "1" };
  return decoded("v1", "Namespace", { metadata: { ...base, ...metadata }, ...value });
}

describe("Namespace", () => {
  it("has no dots in its name", () => {
    assert.deepEqual(told(validateNamespace(namespace({}, { name: "a.b" }))), [
      'metadata.name: Invalid value: "a.b": must not contain dots',
    ]);
  });

  it("is in no namespace", () => {
    assert.deepEqual(told(validateNamespace(namespace({}, { namespace: "n" }))), [
      "metadata.namespace: Forbidden: not allowed on this type",
    ]);
  });

  it("has finalizers with a domain", () => {
    const found = namespace({ spec: { finalizers: ["kubernetes", "x"] } });
    const error =
      'Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified';
    assert.deepEqual(told(validateNamespace(found)), [`spec.finalizers: ${error}`]);
    assert.deepEqual(told(validateNamespaceFinalizeUpdate(found, namespace({}))), [
      `spec.finalizers[1]: ${error}`,
    ]);
  });

  it("is active until it is deleted, and then terminating", () => {
    const deleted = { deletionTimestamp: "2026-01-02T03:04:05Z" };
    const active = { status: { phase: "Active" } };
    const terminating = { status: { phase: "Terminating" } };
    const judge = (value: JsonObject, metadata: JsonObject) =>
      told(validateNamespaceStatusUpdate(namespace(value, metadata), namespace(active, metadata)));
    assert.deepEqual(judge(active, {}), []);
    assert.deepEqual(judge(terminating, deleted), []);
    assert.deepEqual(judge(terminating, {}), [
      "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
    ]);
    assert.deepEqual(judge(active, deleted), [
      "status.Phase: Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` is not empty",
    ]);
  });
});
