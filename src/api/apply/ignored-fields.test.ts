import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { resetFields, withoutFields, withoutIdentity } from "./ignored-fields.ts";

describe("withoutFields", () => {
  const { reset } = resetFields("status", "spec.paused", "metadata.labels");

  it("drops fields with all that is in them", () => {
    const set = {
      "f:spec": { "f:paused": {}, "f:replicas": {} },
      "f:status": { "f:conditions": { ".": {} } },
      "f:metadata": { ".": {}, "f:labels": { "f:a": {} } },
    };
    assert.deepEqual(withoutFields(set, reset), {
      "f:spec": { "f:replicas": {} },
      "f:metadata": { ".": {} },
    });
  });

  it("drops what only led to them, but not what is owned itself", () => {
    assert.deepEqual(withoutFields({ "f:spec": { "f:paused": {} } }, reset), {});
    assert.deepEqual(withoutFields({ "f:spec": {} }, reset), { "f:spec": {} });
  });
});

describe("withoutIdentity", () => {
  it("drops names and versions, and leaves the rest of the metadata", () => {
    const set = {
      "f:apiVersion": {},
      "f:kind": {},
      "f:metadata": { ".": {}, "f:finalizers": {}, "f:name": {}, "f:uid": {} },
    };
    assert.deepEqual(withoutIdentity(set), { "f:metadata": { "f:finalizers": {} } });
  });
});
