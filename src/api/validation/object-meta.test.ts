import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../json.ts";
import type { ConfigMap, ObjectMeta } from "../types.ts";
import { FieldPath } from "./field-path.ts";
import { nameIsDnsSubdomain } from "./names.ts";
import {
  validateFieldManager,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "./object-meta.ts";
import { decoded, told } from "./testing/judged.ts";

const rules = { namespaced: true, name: nameIsDnsSubdomain };
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

function metaOf(metadata: JsonObject): ObjectMeta {
  const base = { name: "v", namespace: "golden", resourceVersion: "1" };
  return decoded<ConfigMap>("v1", "ConfigMap", { metadata: { ...base, ...metadata } }).metadata;
}

const owner = { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "1" };

describe("Metadata of a new object", () => {
  const cases: Readonly<Record<string, readonly [JsonObject, readonly string[]]>> = {
    "may be a name and a namespace": [{}, []],
    "needs a name": [
      { name: "" },
      ["metadata.name: Required value: name or generateName is required"],
    ],
    "needs a namespace": [{ namespace: "" }, ["metadata.namespace: Required value"]],
    "needs a namespace that is a label": [
      { namespace: "a.b" },
      ['metadata.namespace: Invalid value: "a.b": must not contain dots'],
    ],
    "has no capital letters in its name": [
      { name: "Bad_Name" },
      [`metadata.name: Invalid value: "Bad_Name": ${subdomain}`],
    ],
    "is told about a bad prefix and about the name made from it": [
      { generateName: "GEN_", name: "GEN_w6n7n" },
      [
        `metadata.generateName: Invalid value: "GEN_": ${subdomain}`,
        `metadata.name: Invalid value: "GEN_w6n7n": ${subdomain}`,
      ],
    ],
    "has no generation below zero": [
      { generation: -1 },
      ["metadata.generation: Invalid value: -1: must be greater than or equal to 0"],
    ],
    "has labels of the right form, keys before values": [
      { labels: { "bad key": "v", ok: "bad value!" } },
      [
        "metadata.labels: Invalid value: \"bad key\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        "metadata.labels: Invalid value: \"bad value!\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      ],
    ],
    "may have capital letters before the slash of an annotation": [
      { annotations: { "Example.COM/a": "x" } },
      [],
    ],
    "has no spaces in keys of annotations": [
      { annotations: { "a b": "x" } },
      [
        "metadata.annotations: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    ],
    "may have annotations of 256 KiB": [{ annotations: { a: "x".repeat(262_143) } }, []],
    "has no annotations of more than 256 KiB": [
      { annotations: { a: "x".repeat(262_144) } },
      ["metadata.annotations: Too long: may not be more than 262144 bytes"],
    ],
    "has annotations counted in bytes": [
      { annotations: { a: "€".repeat(90_000) } },
      ["metadata.annotations: Too long: may not be more than 262144 bytes"],
    ],
    "has finalizers with a domain": [
      { finalizers: ["nodomain"] },
      [
        'metadata.finalizers[0]: Invalid value: "nodomain": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
    "may have the standard finalizers": [{ finalizers: ["kubernetes", "orphan", "a.b/c"] }, []],
    "does not say both what becomes of dependents": [
      { finalizers: ["orphan", "foregroundDeletion"] },
      [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
    "names its owners completely": [
      { ownerReferences: [{ apiVersion: "", kind: "", name: "", uid: "" }] },
      [
        "metadata.ownerReferences[0].apiVersion: Required value: must not be empty",
        "metadata.ownerReferences[0].kind: Required value: must not be empty",
        "metadata.ownerReferences[0].name: Required value: must not be empty",
        "metadata.ownerReferences[0].uid: Required value: must not be empty",
      ],
    ],
    "names the version of its owner": [
      { ownerReferences: [{ ...owner, apiVersion: "a/b/c" }] },
      [
        'metadata.ownerReferences[0].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>',
      ],
    ],
    "is not owned by an event": [
      { ownerReferences: [{ ...owner, kind: "Event" }] },
      [
        'metadata.ownerReferences[0]: Invalid value: {"apiVersion":"v1","kind":"Event","name":"a","uid":"1"}: /v1, Kind=Event is disallowed from being an owner',
      ],
    ],
    "has one controller": [
      {
        ownerReferences: [
          { ...owner, controller: true },
          { ...owner, name: "b", uid: "2", controller: true },
        ],
      },
      [
        'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"ConfigMap","name":"a","uid":"1","controller":true},{"apiVersion":"v1","kind":"ConfigMap","name":"b","uid":"2","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for ConfigMap/a and ConfigMap/b',
      ],
    ],
    "has managed fields of the known kinds": [
      {
        managedFields: [
          { manager: "x", operation: "Apply", fieldsType: "FieldsV1" },
          { manager: "x" },
          { operation: "Delete", fieldsType: "V2", subresource: "s".repeat(257) },
          { operation: "Update", manager: "m".repeat(129) },
        ],
      },
      [
        "metadata.managedFields[1].operation: Required value: must not be empty",
        'metadata.managedFields[2].operation: Unsupported value: "Delete": supported values: "Apply", "Update"',
        'metadata.managedFields[2].fieldsType: Invalid value: "V2": must be `FieldsV1`',
        "metadata.managedFields[2].subresource: Too long: may not be more than 256 bytes",
        "metadata.managedFields[3].manager: Too long: may not be more than 128 bytes",
      ],
    ],
  };
  for (const [name, [metadata, errors]] of Object.entries(cases)) {
    it(name, () => {
      assert.deepEqual(told(validateObjectMeta(metaOf(metadata), rules)), errors);
    });
  }

  it("has no namespace if its kind has none", () => {
    const errors = validateObjectMeta(metaOf({}), { ...rules, namespaced: false });
    assert.deepEqual(told(errors), ["metadata.namespace: Forbidden: not allowed on this type"]);
  });

  it("may have any qualified finalizer where the kind does not mind", () => {
    const meta = metaOf({ finalizers: ["nodomain"] });
    assert.deepEqual(validateObjectMeta(meta, { ...rules, anyFinalizer: true }), []);
  });
});

describe("Metadata of an update", () => {
  const old = {
    uid: "u",
    generation: 2,
    creationTimestamp: "2026-01-02T03:04:05Z",
    finalizers: ["example.com/f"],
  };
  const cases: Readonly<Record<string, readonly [JsonObject, JsonObject, readonly string[]]>> = {
    "may stay": [old, old, []],
    "may change labels": [{ ...old, labels: { a: "b" } }, old, []],
    "says which version it is for": [
      { ...old, resourceVersion: "" },
      old,
      ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
    ],
    "does not count backwards": [
      { ...old, generation: 1 },
      old,
      ["metadata.generation: Invalid value: 1: must not be decremented"],
    ],
    "keeps name and namespace": [
      { ...old, name: "w", namespace: "other" },
      old,
      [
        'metadata.name: Invalid value: "w": field is immutable',
        'metadata.namespace: Invalid value: "other": field is immutable',
      ],
    ],
    "keeps the identity": [
      { ...old, uid: "x" },
      old,
      ['metadata.uid: Invalid value: "x": field is immutable'],
    ],
    "keeps the times": [
      {
        ...old,
        creationTimestamp: "2020-01-01T00:00:00Z",
        deletionTimestamp: "2026-01-01T00:00:00Z",
        deletionGracePeriodSeconds: 5,
      },
      old,
      [
        'metadata.creationTimestamp: Invalid value: "2020-01-01T00:00:00Z": field is immutable',
        'metadata.deletionTimestamp: Invalid value: "2026-01-01T00:00:00Z": field is immutable',
        "metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable",
      ],
    ],
    "adds no finalizer to what is being deleted": [
      {
        ...old,
        deletionTimestamp: "2026-01-03T00:00:00Z",
        finalizers: ["example.com/z", "example.com/f", "example.com/g"],
      },
      { ...old, deletionTimestamp: "2026-01-03T00:00:00Z" },
      [
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/g", "example.com/z"}',
      ],
    ],
  };
  for (const [name, [metadata, before, errors]] of Object.entries(cases)) {
    it(name, () => {
      const found = validateObjectMetaUpdate(metaOf(metadata), metaOf(before));
      assert.deepEqual(told(found), errors);
    });
  }
});

describe("validateFieldManager", () => {
  it("names each character that cannot be printed and where it is, in bytes", () => {
    assert.deepEqual(told(validateFieldManager("ü\u0001\u200b", FieldPath.of("m"))), [
      'm: Invalid value: "ü\\x01\\u200b": invalid character U+0001 (at position 2)',
      'm: Invalid value: "ü\\x01\\u200b": invalid character U+200B (at position 3)',
    ]);
  });
});
