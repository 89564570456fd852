import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject } from "../object.ts";
import { StatusError } from "../status-error.ts";
import { parseIncludeObject, partialMetadataOf, tableOf, tableOfObject } from "./table.ts";

const kind = { group: "", resource: "configmaps" };
const nowMs = Date.parse("2026-01-02T00:00:09Z");
const object: ApiObject = {
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "a", resourceVersion: "7", creationTimestamp: "2026-01-02T00:00:00Z" },
  data: { k: "v" },
};
const partial = {
  kind: "PartialObjectMetadata",
  apiVersion: "meta.k8s.io/v1",
  metadata: object.metadata,
};

test("a table has its keys in the API's order, and metadata in its rows", () => {
  const metadata = { resourceVersion: "9", continue: "token", remainingItemCount: 12 };
  const table = tableOf({ kind, objects: [object], nowMs, metadata });
  const { columnDefinitions, ...rest } = table;
  assert.equal(Array.isArray(columnDefinitions) && columnDefinitions.length, 3);
  assert.equal(
    JSON.stringify(rest),
    JSON.stringify({
      kind: "Table",
      apiVersion: "meta.k8s.io/v1",
      metadata,
      rows: [{ cells: ["a", 1, "9s"], object: partial }],
    }),
  );
  assert.deepEqual(Object.keys(table), [
    "kind",
    "apiVersion",
    "metadata",
    "columnDefinitions",
    "rows",
  ]);
});

test("an empty table still has its columns", () => {
  const table = tableOf({ kind, objects: [], nowMs, metadata: {} });
  assert.deepEqual(table["rows"], []);
  assert.notEqual(table["columnDefinitions"], null);
});

test("rows carry nothing, metadata or the object, as asked", () => {
  const carried = (includeObject: "None" | "Metadata" | "Object") => {
    const table = tableOfObject(object, { kind, nowMs, includeObject });
    return JSON.stringify(table["rows"]);
  };
  assert.equal(carried("None"), '[{"cells":["a",1,"9s"],"object":null}]');
  assert.equal(carried("Metadata"), JSON.stringify([{ cells: ["a", 1, "9s"], object: partial }]));
  assert.equal(carried("Object"), JSON.stringify([{ cells: ["a", 1, "9s"], object }]));
});

test("the bookmark that ends the initial events reaches clients that want no objects", () => {
  const annotations = { "k8s.io/initial-events-end": "true" };
  const bookmark: ApiObject = { metadata: { resourceVersion: "8", annotations } };
  const table = tableOfObject(bookmark, { kind, nowMs, includeObject: "None" });
  assert.deepEqual(table["rows"], [
    { cells: ["", 0, "<unknown>"], object: { ...partial, metadata: bookmark.metadata } },
  ]);
});

test("the table of one object has its resourceVersion, and later events of a watch no columns", () => {
  const table = tableOfObject(object, { kind, nowMs, headers: false });
  assert.deepEqual(table["metadata"], { resourceVersion: "7" });
  assert.equal(table["columnDefinitions"], null);
});

test("the older version of the group is in the table and in its rows", () => {
  const table = tableOfObject(object, { kind, nowMs, version: "v1beta1" });
  assert.equal(table["apiVersion"], "meta.k8s.io/v1beta1");
  assert.equal(partialMetadataOf(object, "v1beta1")["apiVersion"], "meta.k8s.io/v1beta1");
  assert.match(JSON.stringify(table["rows"]), /"apiVersion":"meta.k8s.io\/v1beta1"/);
});

test("rows of pods that have ended say so before their object", () => {
  const row = (phase: string) => {
    const pod: ApiObject = { metadata: { name: "p" }, status: { phase } };
    const table = tableOfObject(pod, {
      kind: { group: "", resource: "pods" },
      nowMs,
      includeObject: "None",
    });
    return JSON.stringify(table["rows"]);
  };
  assert.match(
    row("Succeeded"),
    /\],"conditions":\[\{"type":"Completed","status":"True","reason":"Succeeded","message":"The pod has completed successfully."\}\],"object":null/,
  );
  assert.match(row("Failed"), /"reason":"Failed","message":"The pod failed."/);
  assert.doesNotMatch(row("Running"), /conditions/);
});

test("what rows are to carry is read from the query, and refused in the API's words", () => {
  assert.deepEqual([undefined, "", "Metadata", "None", "Object"].map(parseIncludeObject), [
    "Metadata",
    "Metadata",
    "Metadata",
    "None",
    "Object",
  ]);
  assert.throws(
    () => parseIncludeObject("Foo"),
    (error) =>
      error instanceof StatusError &&
      error.code === 400 &&
      error.message ===
        "Unable to convert to Table as requested: includeObject: Invalid value: \"Foo\": must be 'Metadata', 'Object', 'None', or empty",
  );
});
