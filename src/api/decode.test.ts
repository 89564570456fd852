import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodeObject } from "./decode.ts";
import { DecodeError } from "./decode-error.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { parseJsonText } from "./json-text.ts";
import { typeOf } from "./kinds.ts";
import { always, field, int64, json, listOf, mapOf, string, type } from "./schema/schema.ts";

function table(apiVersion: string, kind: string): Parameters<typeof decodeObject>[0] {
  const found = typeOf(apiVersion, kind);
  assert(found !== undefined, kind);
  return found;
}

const configMap = table("v1", "ConfigMap");
const secret = table("v1", "Secret");
const pod = table("v1", "Pod");
const deployment = table("apps/v1", "Deployment");
const lease = table("coordination.k8s.io/v1", "Lease");

/** Decoded, as text: the order of fields matters. */
function decoded(kind: typeof configMap, value: JsonValue): string {
  return JSON.stringify(decodeObject(kind, value).object);
}

function refusal(kind: typeof configMap, value: JsonValue): string {
  try {
    decodeObject(kind, value);
  } catch (err) {
    assert(err instanceof DecodeError, String(err));
    return err.message;
  }
  return "";
}

function withContainer(container: JsonObject): JsonObject {
  return { spec: { containers: [container] } };
}

describe("decodeObject", () => {
  it("writes fields in the order of the table and sorts the keys of maps", () => {
    const value = {
      data: { b: "2", a: "1", "a.b": "3" },
      metadata: { labels: { z: "", y: "1" }, name: "x" },
      apiVersion: "v1",
      kind: "ConfigMap",
    };
    assert.equal(
      decoded(configMap, value),
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","labels":{"y":"1","z":""}},"data":{"a":"1","a.b":"3","b":"2"}}',
    );
  });

  it("drops zero values, nulls and what is empty", () => {
    const value = {
      metadata: {
        name: "",
        labels: {},
        annotations: null,
        generation: 0,
        finalizers: [],
        creationTimestamp: null,
      },
      data: {},
      binaryData: null,
      immutable: null,
    };
    assert.equal(decoded(configMap, value), '{"metadata":{}}');
  });

  it("keeps a zero value that was sent for a pointer", () => {
    assert.equal(decoded(configMap, { immutable: false }), '{"metadata":{},"immutable":false}');
    const { object } = decodeObject(deployment, { spec: { replicas: 0 } });
    assert.equal((object["spec"] as JsonObject)["replicas"], 0);
  });

  it("fills in what is always written: objects, and null for lists", () => {
    assert.equal(decoded(pod, {}), '{"metadata":{},"spec":{"containers":null},"status":{}}');
    assert.equal(
      decoded(deployment, { spec: {} }),
      '{"metadata":{},"spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}}',
    );
  });

  it("gives items and map values that are null their zero value", () => {
    assert.equal(
      decoded(configMap, {
        metadata: { finalizers: [null, "a"] },
        data: { a: null },
        binaryData: { b: null },
      }),
      '{"metadata":{"finalizers":["","a"]},"data":{"a":""},"binaryData":{"b":""}}',
    );
    assert.equal(
      decoded(pod, { spec: { containers: [null] } }),
      '{"metadata":{},"spec":{"containers":[{"name":"","resources":{}}]},"status":{}}',
    );
  });

  it("gives an object that is decoded already back as it is", () => {
    const value = withContainer({
      name: "a",
      resources: { limits: { cpu: "0.5", memory: "1024Ki" } },
    });
    const once = decodeObject(pod, value).object;
    assert.equal(decoded(pod, once), JSON.stringify(once));
  });

  it("changes nothing in its input and shares no map or list with it", () => {
    const value = { metadata: { labels: { b: "1", a: "2" }, finalizers: ["x"] } };
    const before = JSON.stringify(value);
    const { object } = decodeObject(configMap, value);
    assert.equal(JSON.stringify(value), before);
    const metadata = object["metadata"] as JsonObject;
    assert.notEqual(metadata["labels"], value.metadata.labels);
    assert.notEqual(metadata["finalizers"], value.metadata.finalizers);
  });

  it("writes quantities and times in their canonical form", () => {
    const { object } = decodeObject(pod, {
      metadata: { creationTimestamp: "2026-01-02T03:04:05.678+02:00" },
      ...withContainer({
        name: "a",
        resources: { limits: { cpu: 0.5, memory: "1024Ki", x: " 2000m " } },
      }),
    });
    const text = JSON.stringify(object);
    assert.match(text, /"creationTimestamp":"2026-01-02T01:04:05Z"/);
    assert.match(text, /"limits":\{"cpu":"500m","memory":"1Mi","x":"2"\}/);
    assert.equal(
      decoded(lease, { spec: { renewTime: "2026-01-02T03:04:05.000001Z", holderIdentity: "" } }),
      '{"metadata":{},"spec":{"holderIdentity":"","renewTime":"2026-01-02T03:04:05.000001Z"}}',
    );
  });

  it("takes numbers and strings for a port, and makes zero of minus zero", () => {
    const probe = (port: JsonValue): string =>
      decoded(pod, withContainer({ name: "a", livenessProbe: { httpGet: { port } } }));
    assert.match(probe("http"), /"port":"http"/);
    assert.match(probe(80), /"port":80/);
    assert.match(probe(-0), /"port":0/);
    assert.match(probe(null), /"port":0/);
  });

  it("names unknown fields by path in the order of the document", () => {
    const value = parseJsonText(
      '{"datta":{"x":1},"metadata":{"namspace":"x","labels":{"a":"b"}},"Data":{"a":"1"},"kind":"ConfigMap"}',
    ).value;
    assert.deepEqual(decodeObject(configMap, value).unknownFields, [
      "datta",
      "metadata.namspace",
      "Data",
    ]);
    const nested = {
      spec: {
        template: {
          spec: { containers: [{ name: "c", ports: [{ containerport: 80 }], imag: "" }] },
        },
      },
    };
    assert.deepEqual(decodeObject(deployment, nested).unknownFields, [
      "spec.template.spec.containers[0].ports[0].containerport",
      "spec.template.spec.containers[0].imag",
    ]);
  });

  it("reports no more than a hundred unknown fields", () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`x${i}`, 1]));
    assert.equal(decodeObject(configMap, many).unknownFields.length, 100);
  });

  it("keeps __proto__ as a key of a map", () => {
    const { value } = parseJsonText('{"data":{"__proto__":"x","a":"y"}}');
    assert.equal(decoded(configMap, value), '{"metadata":{},"data":{"__proto__":"x","a":"y"}}');
    assert.deepEqual(
      decodeObject(configMap, parseJsonText('{"__proto__":{}}').value).unknownFields,
      ["__proto__"],
    );
  });

  it("takes what is typed as json for what it is, false and all", () => {
    const free = type("test.Free", "", { value: field(1, json, ""), n: field(2, int64, "") });
    assert.equal(decoded(free, { value: false, n: 0 }), '{"value":false}');
    assert.equal(
      decoded(free, { value: { b: [1, null], a: {} } }),
      '{"value":{"b":[1,null],"a":{}}}',
    );
  });

  it("reads lists within maps", () => {
    const nested = type("test.Nested", "", { extra: field(1, mapOf(listOf(string)), "", always) });
    assert.equal(decoded(nested, { extra: { a: ["x", null] } }), '{"extra":{"a":["x",""]}}');
    assert.equal(decoded(nested, {}), '{"extra":null}');
  });

  it("refuses a value of the wrong type in the words of the API", () => {
    const cases: readonly (readonly [typeof configMap, JsonValue, string])[] = [
      [configMap, { data: { k: 1 } }, "number into Go struct field ConfigMap.data of type string"],
      [
        configMap,
        { data: ["a"] },
        "array into Go struct field ConfigMap.data of type map[string]string",
      ],
      [
        configMap,
        { metadata: "x" },
        "string into Go struct field ConfigMap.metadata of type v1.ObjectMeta",
      ],
      [
        configMap,
        { metadata: { labels: { a: true } } },
        "bool into Go struct field ObjectMeta.metadata.labels of type string",
      ],
      [
        configMap,
        { metadata: { generation: "1" } },
        "string into Go struct field ObjectMeta.metadata.generation of type int64",
      ],
      [
        configMap,
        { metadata: { generation: 2 ** 63 } },
        "number 9223372036854776000 into Go struct field ObjectMeta.metadata.generation of type int64",
      ],
      [
        configMap,
        { metadata: { creationTimestamp: 5 } },
        "number into Go struct field ObjectMeta.metadata.creationTimestamp of type string",
      ],
      [
        configMap,
        { immutable: "true" },
        "string into Go struct field ConfigMap.immutable of type bool",
      ],
      [configMap, [1], "array into Go value of type v1.ConfigMap"],
      [secret, { data: { a: 1 } }, "number into Go struct field Secret.data of type []uint8"],
      [secret, { data: "x" }, "string into Go struct field Secret.data of type map[string][]uint8"],
      [
        deployment,
        { spec: { replicas: 1.5 } },
        "number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
      ],
      [
        deployment,
        { spec: { replicas: 2 ** 31 } },
        "number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32",
      ],
      [
        pod,
        { spec: { containers: {} } },
        "object into Go struct field PodSpec.spec.containers of type []v1.Container",
      ],
      [
        pod,
        { spec: { containers: ["a"] } },
        "string into Go struct field PodSpec.spec.containers of type v1.Container",
      ],
      [
        pod,
        withContainer({ image: 1 }),
        "number into Go struct field Container.spec.containers.image of type string",
      ],
      [
        pod,
        withContainer({ resources: { limits: [] } }),
        "array into Go struct field ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList",
      ],
      [
        pod,
        withContainer({ livenessProbe: { httpGet: { port: true } } }),
        "bool into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32",
      ],
      [
        pod,
        withContainer({ livenessProbe: { httpGet: { port: 1.5 } } }),
        "number 1.5 into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32",
      ],
      [
        pod,
        { spec: { volumes: [{ configMap: "x" }] } },
        "string into Go struct field Volume.spec.volumes.VolumeSource.configMap of type v1.ConfigMapVolumeSource",
      ],
    ];
    for (const [kind, value, message] of cases)
      assert.equal(refusal(kind, value), `json: cannot unmarshal ${message}`);
  });

  it("refuses base64, quantities and times that cannot be read", () => {
    assert.equal(
      refusal(secret, { data: { a: "not base64!" } }),
      "illegal base64 data at input byte 3",
    );
    const quantities =
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    for (const cpu of ["lots", "", true, {}, []]) {
      assert.equal(refusal(pod, withContainer({ resources: { limits: { cpu } } })), quantities);
    }
    assert.equal(
      refusal(configMap, { metadata: { creationTimestamp: "now" } }),
      'parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"',
    );
  });

  it("tells the first wrong type of the document, but an unreadable time or quantity before any", () => {
    const wrong = { data: { a: 1 }, binaryData: { b: 2 } };
    assert.match(refusal(configMap, wrong), /ConfigMap\.data /);
    assert.match(
      refusal(configMap, { ...wrong, metadata: { creationTimestamp: "x" } }),
      /^parsing time/,
    );
  });
});
