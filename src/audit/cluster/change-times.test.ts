import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ManagedFieldsEntry } from "../../api/types.ts";
import { contentWrites, lastChange } from "./change-times.ts";

function wrote(
  manager: string,
  time: string,
  fieldsV1: ManagedFieldsEntry["fieldsV1"],
): ManagedFieldsEntry {
  return { manager, operation: "Update", apiVersion: "v1", time, fieldsType: "FieldsV1", fieldsV1 };
}

const managedFields = [
  wrote("helm", "2026-01-01T10:00:00Z", { "f:data": { ".": {}, "f:a": {}, "f:b": {} } }),
  wrote("ops", "2026-01-01T12:00:00Z", { "f:data": { "f:c": {} } }),
  wrote("labeller", "2026-01-01T13:00:00Z", { "f:metadata": { "f:labels": { "f:x": {} } } }),
];
const writes = contentWrites({ managedFields });
const at = (time: string): number => Date.parse(`2026-01-01T${time}:00Z`);

describe("lastChange", () => {
  it("is the last write of content, not of labels", () => {
    assert.deepEqual(lastChange({ writes, revisionAtMs: undefined }, undefined), {
      atMs: at("12:00"),
      manager: "ops",
    });
  });

  it("of some keys is that of the writers who own them", () => {
    assert.deepEqual(lastChange({ writes, revisionAtMs: undefined }, ["a"]), {
      atMs: at("10:00"),
      manager: "helm",
    });
    assert.equal(lastChange({ writes, revisionAtMs: undefined }, ["nobody's"]), undefined);
  });

  it("is no younger than the newest revision of the content", () => {
    assert.equal(lastChange({ writes, revisionAtMs: at("11:00") }, undefined)?.atMs, at("11:00"));
    assert.equal(lastChange({ writes, revisionAtMs: at("14:00") }, undefined)?.atMs, at("12:00"));
  });

  it("is unknown where nobody says who wrote", () => {
    assert.equal(
      lastChange({ writes: contentWrites({}), revisionAtMs: at("11:00") }, undefined),
      undefined,
    );
  });
});
