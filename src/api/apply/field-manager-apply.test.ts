import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isJsonObject, type JsonObject } from "../json.ts";
import { StatusError } from "../status-error.ts";
import { resetFields } from "./ignored-fields.ts";
import { newConfigMap, newDeployment } from "./testing/kinds.ts";
import type { StoredObject } from "./testing/stored-object.ts";

const metadata = { name: "ssa" };
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** m1 has labels and a and b, m2 shares a. */
function sharedConfigMap(): StoredObject {
  const object = newConfigMap();
  object.apply("m1", { metadata: { ...metadata, labels: { app: "x" } }, data: { a: "1", b: "2" } });
  object.apply("m2", { metadata, data: { a: "1" } });
  return object;
}

function deploymentOf(containers: readonly JsonObject[], replicas?: number): JsonObject {
  return {
    metadata: { name: "ssad" },
    spec: {
      ...(replicas !== undefined && { replicas }),
      selector: { matchLabels: { app: "ssad" } },
      template: { metadata: { labels: { app: "ssad" } }, spec: { containers: [...containers] } },
    },
  };
}

function containersOf(object: StoredObject): JsonObject[] {
  let value: unknown = object.object;
  for (const key of ["spec", "template", "spec", "containers"]) {
    value = (value as JsonObject)[key];
  }
  assert(Array.isArray(value));
  return value.filter(isJsonObject);
}

function statusOf(action: () => void): StatusError {
  try {
    action();
  } catch (err) {
    assert(err instanceof StatusError);
    return err;
  }
  return assert.fail("nothing was refused");
}

describe("applyObject", () => {
  it("creates, and gives the applier what the configuration sets", () => {
    const object = newConfigMap();
    object.apply("m1", {
      metadata: { ...metadata, labels: { app: "x" } },
      data: { a: "1", b: "2" },
    });
    assert.deepEqual(object.object, {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: {
        name: "ssa",
        labels: { app: "x" },
        managedFields: [
          {
            manager: "m1",
            operation: "Apply",
            apiVersion: "v1",
            time: "2026-01-01T00:00:00Z",
            fieldsType: "FieldsV1",
            fieldsV1: {
              "f:data": { "f:a": {}, "f:b": {} },
              "f:metadata": { "f:labels": { "f:app": {} } },
            },
          },
        ],
      },
      data: { a: "1", b: "2" },
    });
  });

  it("gives back the very object if the same is applied again", () => {
    const object = newConfigMap();
    object.apply("m1", { metadata, data: { a: "1" } });
    const before = object.object;
    object.now = "2026-01-01T00:00:09Z";
    object.apply("m1", { metadata, data: { a: "1" } });
    assert.equal(object.object, before);
    assert.equal(object.revision, 1);
  });

  it("shares a field whose value two managers agree on, without a time for the second", () => {
    const object = sharedConfigMap();
    assert.deepEqual(object.object.metadata.managedFields?.[0], {
      manager: "m2",
      operation: "Apply",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": { "f:a": {} } },
    });
    assert.deepEqual(Object.keys(object.owners), ["m2 Apply", "m1 Apply"]);
  });

  it("refuses to change fields of others, and lists them", () => {
    const object = sharedConfigMap();
    const status = statusOf(() => object.apply("m2", { metadata, data: { a: "x", b: "x" } }));
    assert.deepEqual(status.toStatus(), {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'Apply failed with 2 conflicts: conflicts with "m1":\n- .data.a\n- .data.b',
      reason: "Conflict",
      details: {
        causes: [
          { reason: "FieldManagerConflict", message: 'conflict with "m1"', field: ".data.a" },
          { reason: "FieldManagerConflict", message: 'conflict with "m1"', field: ".data.b" },
        ],
      },
      code: 409,
    });
  });

  it("lists conflicts by manager, sorted", () => {
    const object = newConfigMap();
    object.put("upd", { metadata, data: { c: "1" } });
    object.apply("m2", { metadata, data: { a: "1" } });
    object.apply("m1", { metadata, data: { b: "1" } });
    const status = statusOf(() => object.apply("m3", { metadata, data: { a: "", b: "", c: "" } }));
    assert.equal(
      status.message,
      [
        'Apply failed with 3 conflicts: conflicts with "m1":',
        "- .data.b",
        'conflicts with "m2":',
        "- .data.a",
        'conflicts with "upd" using v1:',
        "- .data.c",
      ].join("\n"),
    );
  });

  it("has its own words for a single conflict", () => {
    const object = sharedConfigMap();
    assert.equal(
      statusOf(() => object.apply("m3", { metadata, data: { b: "zz" } })).message,
      'Apply failed with 1 conflict: conflict with "m1": .data.b',
    );
  });

  it("takes the fields of others by force", () => {
    const object = sharedConfigMap();
    object.apply("m2", { metadata, data: { a: "forced" } }, { force: true });
    assert.deepEqual(object.owners, {
      "m1 Apply": { "f:data": { "f:b": {} }, "f:metadata": { "f:labels": { "f:app": {} } } },
      "m2 Apply": { "f:data": { "f:a": {} } },
    });
    assert.deepEqual(object.object["data"], { a: "forced", b: "2" });
  });

  it("removes what only the applier owned and no longer mentions", () => {
    const object = sharedConfigMap();
    object.apply("m1", { metadata, data: { c: "3" } });
    assert.deepEqual(object.object["data"], { a: "1", c: "3" });
    assert.equal(object.object.metadata.labels, undefined);
    assert.deepEqual(object.owners, {
      "m1 Apply": { "f:data": { "f:c": {} } },
      "m2 Apply": { "f:data": { "f:a": {} } },
    });
  });

  it("loses to an update, and then conflicts with it", () => {
    const object = newConfigMap();
    object.apply("m1", { metadata, data: { c: "3" } });
    object.mergePatch("upd", { data: { c: "4", d: "5" } });
    assert.deepEqual(object.owners, { "upd Update": { "f:data": { "f:c": {}, "f:d": {} } } });
    const status = statusOf(() => object.apply("m1", { metadata, data: { c: "3" } }));
    assert.equal(
      status.message,
      'Apply failed with 1 conflict: conflict with "upd" using v1: .data.c',
    );
    assert.deepEqual(status.details, {
      causes: [
        {
          reason: "FieldManagerConflict",
          message: 'conflict with "upd" using v1',
          field: ".data.c",
        },
      ],
    });
  });

  it("takes away all that an applier owned alone if it applies nothing", () => {
    const object = sharedConfigMap();
    object.apply("m1", { metadata });
    object.apply("m2", { metadata });
    assert.equal(object.object["data"], undefined);
    assert.equal(object.object.metadata.managedFields, undefined);
  });

  it("owns what is null, which decodes as empty", () => {
    const object = newConfigMap();
    object.put("upd", { metadata, data: { c: "4", d: "5" } });
    object.apply("m1", { metadata, data: { a: null, c: "3" } }, { force: true });
    assert.deepEqual(object.object["data"], { a: "", c: "3", d: "5" });
    assert.deepEqual(object.owners["m1 Apply"], { "f:data": { "f:a": {}, "f:c": {} } });
  });

  it("takes nothing out of a map by null", () => {
    const object = newConfigMap();
    object.put("upd", { metadata: { ...metadata, labels: { l: "1" } } });
    object.apply("m1", { metadata: { ...metadata, labels: null } });
    assert.deepEqual(object.object.metadata.labels, { l: "1" });
    assert.deepEqual(object.owners["m1 Apply"], { "f:metadata": { "f:labels": {} } });
  });

  for (const { name, body, code, message } of [
    {
      name: "a body without kind",
      body: { apiVersion: "", kind: "" },
      code: 400,
      message: "invalid object type: /, Kind=",
    },
    {
      name: "a body of another kind",
      body: { apiVersion: "apps/v1", kind: "Deployment" },
      code: 400,
      message: "invalid object type: apps/v1, Kind=Deployment",
    },
    {
      name: "managedFields in the body",
      body: { metadata: { ...metadata, managedFields: [{ manager: "m1", operation: "Apply" }] } },
      code: 400,
      message: "metadata.managedFields must be nil",
    },
    {
      name: "an unknown field",
      body: { metadata, datta: { a: "1" } },
      code: 500,
      message:
        "failed to create typed patch object (/ssa; /v1, Kind=ConfigMap): .datta: field not declared in schema",
    },
    {
      name: "a number for text",
      body: { metadata: { ...metadata, namespace: "n" }, data: { a: 1 } },
      code: 500,
      message:
        "failed to create typed patch object (n/ssa; /v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:1}",
    },
    {
      name: "several wrong types",
      body: { metadata, data: [], immutable: "yes" },
      code: 500,
      message:
        "failed to create typed patch object (/ssa; /v1, Kind=ConfigMap): errors:\n  .data: expected map, got &{[]}\n  .immutable: expected boolean, got &{yes}",
    },
  ] satisfies readonly { name: string; body: JsonObject; code: number; message: string }[]) {
    it(`refuses ${name} with ${code}`, () => {
      const status = statusOf(() => newConfigMap().apply("m1", body));
      assert.deepEqual([status.code, status.message], [code, message]);
      assert.equal(status.reason, code === 400 ? "BadRequest" : "");
    });
  }

  it("refuses two items with the same key", () => {
    const twice = [
      { name: "c", image: "a" },
      { name: "c", image: "b" },
    ];
    const status = statusOf(() => newDeployment().apply("m1", deploymentOf(twice)));
    assert.equal(status.code, 500);
    assert.equal(
      status.message,
      'failed to create typed patch object (/ssad; apps/v1, Kind=Deployment): .spec.template.spec.containers: duplicate entries for key [name="c"]',
    );
  });

  it("refuses an item without its key, and a number where one belongs", () => {
    const status = statusOf(() =>
      newDeployment().apply("m1", {
        metadata: { name: "ssad" },
        spec: { replicas: "1", template: { spec: { containers: [{ image: "a" }] } } },
      }),
    );
    assert.equal(
      status.message,
      [
        "failed to create typed patch object (/ssad; apps/v1, Kind=Deployment): errors:",
        "  .spec.replicas: expected numeric (int or float), got string",
        '  .spec.template.spec.containers: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
      ].join("\n"),
    );
  });

  it("refuses to apply to an object whose items have no keys", () => {
    const object = newDeployment();
    object.apply("m1", deploymentOf([{ name: "c", image: "a" }]));
    const broken = { spec: { template: { spec: { containers: [{ image: "x" }] } } } };
    object.load({ ...object.object, ...broken });
    const status = statusOf(() => object.apply("m1", deploymentOf([{ name: "c", image: "b" }])));
    assert.equal(status.code, 500);
    assert.match(status.message, /^failed to create typed live object \(\/ssad; apps\/v1, Kind=/);
  });

  it("keeps what is keyed by a default under the default, and does not own the default", () => {
    const object = newDeployment();
    object.apply(
      "m1",
      deploymentOf([{ name: "c", image: "a", ports: [{ containerPort: 80 }] }], 1),
    );
    assert.deepEqual(object.owners, {
      "m1 Apply": {
        "f:spec": {
          "f:replicas": {},
          "f:selector": {},
          "f:template": {
            "f:metadata": { "f:labels": { "f:app": {} } },
            "f:spec": {
              "f:containers": {
                'k:{"name":"c"}': {
                  ".": {},
                  "f:image": {},
                  "f:name": {},
                  "f:ports": {
                    'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} },
                  },
                },
              },
            },
          },
        },
      },
    });
    const before = object.object;
    object.apply(
      "m1",
      deploymentOf([{ name: "c", image: "a", ports: [{ containerPort: 80 }] }], 1),
    );
    assert.equal(object.object, before);
  });

  it("removes an applier's items, and leaves what others added to them and beside them", () => {
    const object = newDeployment();
    const env = (name: string): JsonObject => ({ name, value: "1" });
    object.apply(
      "m1",
      deploymentOf([
        { name: "c", image: "a", ports: [{ containerPort: 80 }], env: [env("E"), env("G")] },
        { name: "old", image: "o" },
      ]),
    );
    object.apply("m2", {
      metadata: { name: "ssad" },
      spec: {
        template: {
          spec: {
            containers: [
              { name: "c", env: [env("F")] },
              { name: "side", image: "s" },
            ],
          },
        },
      },
    });
    object.apply("m1", deploymentOf([{ name: "c", image: "a2", env: [env("E")] }]));
    assert.deepEqual(containersOf(object), [
      {
        name: "c",
        image: "a2",
        env: [env("E"), env("F")],
        resources: {},
        imagePullPolicy: "Always",
      },
      { name: "side", image: "s", resources: {}, imagePullPolicy: "Always" },
    ]);
    assert.deepEqual(object.owners["m2 Apply"], {
      "f:spec": {
        "f:template": {
          "f:spec": {
            "f:containers": {
              'k:{"name":"c"}': {
                ".": {},
                "f:env": { 'k:{"name":"F"}': { ".": {}, "f:name": {}, "f:value": {} } },
                "f:name": {},
              },
              'k:{"name":"side"}': { ".": {}, "f:image": {}, "f:name": {} },
            },
          },
        },
      },
    });
  });

  it("removes an item that only the applier owns, with what an update put into it", () => {
    const object = newDeployment();
    object.apply(
      "m1",
      deploymentOf([
        { name: "c", image: "a" },
        { name: "d", image: "a" },
      ]),
    );
    object.mergePatch("upd", {
      spec: {
        template: {
          spec: {
            containers: [
              { name: "c", image: "a" },
              { name: "d", image: "a", command: ["run"] },
            ],
          },
        },
      },
    });
    object.apply("m1", deploymentOf([{ name: "c", image: "a" }]));
    assert.deepEqual(
      containersOf(object).map(({ name }) => name),
      ["c"],
    );
    assert.deepEqual(Object.keys(object.owners), ["m1 Apply"]);
  });

  it("leaves alone what nobody owns, unless it is in something that only the applier made", () => {
    const object = newDeployment();
    const withUser = { name: "c", image: "a", securityContext: { runAsUser: 1 } };
    object.apply("m1", deploymentOf([withUser], 1));
    const loaded = structuredClone(object.object);
    const [container] = containersOf(object);
    const securityContext = { runAsUser: 1, runAsGroup: 2 };
    Object.assign(loaded, {
      spec: {
        ...(loaded["spec"] as JsonObject),
        template: {
          metadata: { labels: { app: "ssad" } },
          spec: { nodeName: "n1", containers: [{ ...container, stdin: true, securityContext }] },
        },
      },
    });
    object.load(loaded);
    object.apply("m1", deploymentOf([{ name: "c", image: "a" }]));
    const spec = JSON.stringify(object.object["spec"]);
    assert.match(spec, /"nodeName":"n1"/);
    assert.match(spec, /"stdin":true/);
    assert.doesNotMatch(spec, /securityContext|replicas/);
  });

  it("stands by the order of the configuration, with items of others in between", () => {
    const object = newDeployment();
    const named = (...names: readonly string[]): JsonObject =>
      deploymentOf(names.map((name) => ({ name, image: "i" })));
    object.put("upd", named("a", "x", "b", "c", "y"));
    object.apply("m1", named("c", "a", "n"));
    assert.deepEqual(
      containersOf(object).map(({ name }) => name),
      ["x", "b", "c", "y", "a", "n"],
    );
  });

  it("replaces what is atomic as a whole, and conflicts as a whole", () => {
    const object = newDeployment();
    object.apply("m1", deploymentOf([{ name: "c", image: "a", args: ["x", "y"] }]));
    const args = deploymentOf([{ name: "c", args: ["x"] }]);
    assert.equal(
      statusOf(() => object.apply("m2", args)).message,
      'Apply failed with 1 conflict: conflict with "m1": .spec.template.spec.containers[name="c"].args',
    );
    object.apply("m2", args, { force: true });
    assert.deepEqual(containersOf(object)[0]?.["args"], ["x"]);
  });

  it("owns items of sets one by one", () => {
    const object = newConfigMap();
    object.apply("m1", { metadata: { ...metadata, finalizers: ["x/a", "x/b"] }, data: { k: "v" } });
    object.apply("m2", { metadata: { ...metadata, finalizers: ["x/b", "x/c"] } });
    assert.deepEqual(object.owners["m2 Apply"], {
      "f:metadata": { "f:finalizers": { 'v:"x/b"': {}, 'v:"x/c"': {} } },
    });
    object.apply("m1", { metadata, data: { k: "v" } });
    assert.deepEqual(object.object.metadata.finalizers, ["x/b", "x/c"]);
  });

  it("names the subresource of a conflicting owner", () => {
    const object = newDeployment();
    object.apply("m1", deploymentOf([{ name: "c", image: "a" }], 1));
    object.mergePatch("hpa", { spec: { replicas: 5 } }, { subresource: "scale" });
    assert.equal(
      statusOf(() => object.apply("m1", deploymentOf([{ name: "c", image: "a" }], 1))).message,
      'Apply failed with 1 conflict: conflict with "hpa" with subresource "scale" using apps/v1: .spec.replicas',
    );
  });

  it("applies to the status only what the status endpoint may change", () => {
    const object = newDeployment();
    object.apply("m1", deploymentOf([{ name: "c", image: "a" }]));
    const condition = { type: "Available", status: "True", reason: "x", message: "y" };
    object.apply(
      "ctl",
      {
        metadata: { name: "ssad", labels: { l: "1" } },
        status: { replicas: 1, conditions: [condition] },
      },
      { subresource: "status", ignored: resetFields("spec", "metadata.labels") },
    );
    assert.deepEqual(object.owners["ctl Apply status"], {
      "f:status": {
        "f:conditions": {
          'k:{"type":"Available"}': {
            ".": {},
            "f:message": {},
            "f:reason": {},
            "f:status": {},
            "f:type": {},
          },
        },
        "f:replicas": {},
      },
    });
  });

  it("gives an object that was not tracked to before-first-apply", () => {
    const object = newConfigMap();
    object.put("other", { metadata, data: { a: "1" } });
    object.mergePatch("other", { metadata: { managedFields: [{}] } });
    assert.equal(
      statusOf(() => object.apply("m9", { metadata, data: { a: "9" } })).message,
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a',
    );
    object.apply("m9", { metadata, data: { b: "9" } });
    assert.deepEqual(object.owners, {
      "m9 Apply": { "f:data": { "f:b": {} } },
      "before-first-apply Update": { "f:data": { ".": {}, "f:a": {} } },
    });
  });
});

describe("applyObject by kubectl", () => {
  const annotated = (data: JsonObject): JsonObject => ({
    ...metadata,
    annotations: {
      [lastApplied]: JSON.stringify({ apiVersion: "v1", data, kind: "ConfigMap", metadata }),
    },
  });

  it("takes over from its client-side apply, and brings the annotation up to date", () => {
    const object = newConfigMap();
    object.put("kubectl-client-side-apply", { metadata: annotated({ a: "1" }), data: { a: "1" } });
    object.apply("kubectl", { metadata, data: { a: "2" } });
    assert.deepEqual(object.owners, {
      "kubectl Apply": { "f:data": { "f:a": {} } },
      "kubectl-client-side-apply Update": {
        "f:data": {},
        "f:metadata": { "f:annotations": { ".": {}, [`f:${lastApplied}`]: {} } },
      },
    });
    assert.equal(
      object.object.metadata.annotations?.[lastApplied],
      '{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"ssa"}}\n',
    );
  });

  it("does nothing the second time", () => {
    const object = newConfigMap();
    object.put("kubectl-client-side-apply", { metadata: annotated({ a: "1" }), data: { a: "1" } });
    object.apply("kubectl", { metadata, data: { a: "2" } });
    const before = object.object;
    object.now = "2026-01-01T00:00:09Z";
    object.apply("kubectl", { metadata, data: { a: "2" } });
    assert.equal(object.object, before);
  });

  it("conflicts over what changed since its client-side apply", () => {
    const object = newConfigMap();
    const data = { a: "1", b: "1" };
    object.put("kubectl-client-side-apply", { metadata: annotated(data), data });
    object.mergePatch("upd", { data: { b: "2" } });
    assert.equal(
      statusOf(() => object.apply("kubectl", { metadata, data: { a: "3", b: "3" } })).message,
      'Apply failed with 1 conflict: conflict with "upd" using v1: .data.b',
    );
  });

  it("conflicts with an ordinary update", () => {
    const object = newConfigMap();
    object.put("other", { metadata, data: { a: "1" } });
    assert.equal(
      statusOf(() => object.apply("kubectl", { metadata, data: { a: "2" } })).message,
      'Apply failed with 1 conflict: conflict with "other" using v1: .data.a',
    );
  });

  it("has no privileges under another name", () => {
    const object = newConfigMap();
    object.put("kubectl-client-side-apply", { metadata: annotated({ a: "1" }), data: { a: "1" } });
    assert.equal(statusOf(() => object.apply("m", { metadata, data: { a: "2" } })).code, 409);
  });

  for (const text of [
    "{",
    "[]",
    '{"apiVersion":"v2","data":{"a":"1"}}',
    '{"apiVersion":"v1","x":1}',
  ]) {
    it(`believes no annotation like ${text}`, () => {
      const object = newConfigMap();
      const annotations = { [lastApplied]: text };
      object.put("other", { metadata: { ...metadata, annotations }, data: { a: "1" } });
      assert.equal(
        statusOf(() => object.apply("kubectl", { metadata, data: { a: "2" } })).code,
        409,
      );
    });
  }

  it("drops the annotation if there is no room for it", () => {
    const object = newConfigMap();
    object.put("other", { metadata: { ...annotated({}), labels: { l: "1" } } });
    object.apply("kubectl", { metadata, data: { a: "x".repeat(300_000) } });
    assert.equal(object.object.metadata.annotations, undefined);
  });
});
