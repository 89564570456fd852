import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../json.ts";
import type { ApiObject } from "../object.ts";
import { deployment } from "../schema/apps/deployment.ts";
import { configMap } from "../schema/core/config-map.ts";
import { settleTimes, trackUpdate } from "./field-manager.ts";
import { nothingReset, resetFields } from "./ignored-fields.ts";
import { newConfigMap, newDeployment } from "./testing/kinds.ts";

const pod = {
  metadata: { labels: { app: "d" } },
  spec: {
    volumes: [{ name: "v", configMap: { name: "p" } }],
    containers: [
      {
        name: "c",
        image: "nginx:1",
        args: ["a"],
        env: [{ name: "A", value: "1" }],
        ports: [{ containerPort: 8080 }, { containerPort: 443 }],
        resources: { limits: { cpu: "1" } },
      },
    ],
    imagePullSecrets: [{ name: "ps" }],
  },
};
const deploymentBody = {
  metadata: { name: "d" },
  spec: { replicas: 1, selector: { matchLabels: { app: "d" } }, template: pod },
};

describe("trackUpdate", () => {
  it("gives a new object to its creator", () => {
    const object = newConfigMap();
    object.put("m", { metadata: { name: "p", labels: { l: "1" } }, data: { a: "1", b: "2" } });
    assert.deepEqual(object.object.metadata.managedFields, [
      {
        manager: "m",
        operation: "Update",
        apiVersion: "v1",
        time: "2026-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:data": { ".": {}, "f:a": {}, "f:b": {} },
          "f:metadata": { "f:labels": { ".": {}, "f:l": {} } },
        },
      },
    ]);
  });

  it("owns what the server filled in, whole what is atomic, and items by their keys in order", () => {
    const object = newDeployment();
    object.put("m", deploymentBody);
    assert.equal(
      JSON.stringify(object.owners["m Update"]),
      JSON.stringify({
        "f:spec": {
          "f:replicas": {},
          "f:revisionHistoryLimit": {},
          "f:selector": {},
          "f:template": {
            "f:metadata": { "f:labels": { ".": {}, "f:app": {} } },
            "f:spec": {
              "f:containers": {
                'k:{"name":"c"}': {
                  ".": {},
                  "f:args": {},
                  "f:env": {
                    ".": {},
                    'k:{"name":"A"}': { ".": {}, "f:name": {}, "f:value": {} },
                  },
                  "f:image": {},
                  "f:imagePullPolicy": {},
                  "f:name": {},
                  "f:ports": {
                    ".": {},
                    'k:{"containerPort":443,"protocol":"TCP"}': {
                      ".": {},
                      "f:containerPort": {},
                      "f:protocol": {},
                    },
                    'k:{"containerPort":8080,"protocol":"TCP"}': {
                      ".": {},
                      "f:containerPort": {},
                      "f:protocol": {},
                    },
                  },
                  "f:resources": { ".": {}, "f:limits": { ".": {}, "f:cpu": {} } },
                },
              },
              "f:imagePullSecrets": { ".": {}, 'k:{"name":"ps"}': {} },
              "f:restartPolicy": {},
              "f:volumes": {
                ".": {},
                'k:{"name":"v"}': {
                  ".": {},
                  "f:configMap": { ".": {}, "f:name": {} },
                  "f:name": {},
                },
              },
            },
          },
        },
      }),
    );
  });

  it("does not track an object that was created empty", () => {
    const object = newConfigMap();
    object.put("m", { metadata: { name: "p" } });
    object.put("m", { metadata: { name: "p" }, data: { a: "1" } });
    assert.equal(object.object.metadata.managedFields, undefined);
  });

  it("moves what is changed to whoever changed it", () => {
    const object = newConfigMap();
    object.put("unknown", {
      metadata: { name: "p", labels: { l: "1" } },
      data: { a: "1", b: "2" },
    });
    object.mergePatch("pm", { data: { a: "x", b: null, c: "3" } });
    assert.deepEqual(object.owners, {
      "pm Update": { "f:data": { "f:a": {}, "f:c": {} } },
      "unknown Update": { "f:data": {}, "f:metadata": { "f:labels": { ".": {}, "f:l": {} } } },
    });
  });

  it("takes what disappears from its owners, and owners who own nothing any more from the list", () => {
    const object = newConfigMap();
    object.put("unknown", { metadata: { name: "p", labels: { l: "1" } }, data: { a: "1" } });
    object.mergePatch("pm", { data: { a: "x" } });
    object.mergePatch("third", { data: null });
    assert.deepEqual(object.owners, {
      "unknown Update": { "f:metadata": { "f:labels": { ".": {}, "f:l": {} } } },
    });
  });

  it("leaves a list to its owner when another manager replaces the items", () => {
    const object = newDeployment();
    object.put("m", deploymentBody);
    object.now = "2026-01-01T00:00:05Z";
    const template = {
      ...pod,
      spec: { ...pod.spec, volumes: [{ name: "w", emptyDir: {} }] },
    };
    object.put("n", { ...deploymentBody, spec: { ...deploymentBody.spec, template } });
    const owners = JSON.stringify(object.owners);
    assert.match(owners, /"n Update":\{.*"f:volumes":\{"k:\{\\"name\\":\\"w\\"\}"/);
    assert.doesNotMatch(owners, /\\"name\\":\\"v\\"/);
  });

  it("tells an empty list from none", () => {
    const object = newDeployment();
    const body = (spec: JsonObject): JsonObject => ({
      metadata: { name: "d" },
      spec: { replicas: 1, template: { spec } },
    });
    object.put("m", body({}));
    object.put("n", body({ containers: [] }));
    assert.deepEqual(object.owners["n Update"], {
      "f:spec": { "f:template": { "f:spec": { "f:containers": {} } } },
    });
  });

  it("keeps the very list, and the time, if nothing changed", () => {
    const object = newConfigMap();
    object.put("m", { metadata: { name: "p" }, data: { a: "1" } });
    const before = object.object.metadata.managedFields;
    object.now = "2026-01-01T00:00:09Z";
    const next = { ...structuredClone(object.object), metadata: { name: "p" } } as ApiObject;
    for (const managedFields of [undefined, structuredClone(before)]) {
      const sent = managedFields === undefined ? {} : { managedFields };
      const tracked = trackUpdate({
        ...writeOf(object.object, { ...next, metadata: { ...next.metadata, ...sent } }),
        now: object.now,
      });
      assert.equal(tracked, before);
    }
  });

  it("keeps the very list if a manager changes within a second what it owns alone", () => {
    const object = newConfigMap();
    object.put("m", { metadata: { name: "p" }, data: { a: "1", b: "1" } });
    const { managedFields: before } = object.object.metadata;
    const next = { ...object.object, data: { a: "2", b: "1" } };
    assert.equal(trackUpdate({ ...writeOf(object.object, next), now: object.now }), before);
  });

  it("keeps the very set, with a new time, if a manager changes later what it owns alone", () => {
    const object = newConfigMap();
    object.put("m", { metadata: { name: "p" }, data: { a: "1", b: "1" } });
    const [before] = object.object.metadata.managedFields ?? [];
    const next = { ...object.object, data: { a: "2", b: "1" } };
    const tracked = trackUpdate({ ...writeOf(object.object, next), now: "2026-01-01T00:00:07Z" });
    assert.equal(tracked?.[0]?.fieldsV1, before?.fieldsV1);
    assert.equal(tracked?.[0]?.time, "2026-01-01T00:00:07Z");
  });

  it("leaves the time of a manager that only removes", () => {
    const object = newConfigMap();
    object.put("m", { metadata: { name: "p" }, data: { a: "1", b: "1" } });
    object.now = "2026-01-01T00:00:09Z";
    object.mergePatch("m", { data: { b: null } });
    assert.deepEqual(object.owners, { "m Update": { "f:data": { ".": {}, "f:a": {} } } });
    assert.equal(object.object.metadata.managedFields?.[0]?.time, "2026-01-01T00:00:00Z");
  });

  it("lists appliers first, then by time and name", () => {
    const object = newConfigMap();
    object.put("z", { metadata: { name: "p" }, data: { a: "1" } });
    object.mergePatch("y", { data: { b: "1" } });
    object.now = "2026-01-01T00:00:09Z";
    object.mergePatch("a", { data: { c: "1" } });
    object.apply("x", { metadata: { name: "p" }, data: { d: "1" } });
    object.apply("w", { metadata: { name: "p" }, data: { e: "1" } });
    assert.deepEqual(Object.keys(object.owners), [
      "w Apply",
      "x Apply",
      "y Update",
      "z Update",
      "a Update",
    ]);
  });

  it("calls a manager without name unknown", () => {
    const object = newConfigMap();
    object.put("", { metadata: { name: "p" }, data: { a: "1" } });
    assert.deepEqual(Object.keys(object.owners), ["unknown Update"]);
  });

  it("never owns what identifies an object", () => {
    const object = newConfigMap();
    object.put("m", {
      metadata: { name: "p", namespace: "n", uid: "u", resourceVersion: "1", generation: 1 },
      data: { a: "1" },
    });
    assert.deepEqual(object.owners, { "m Update": { "f:data": { ".": {}, "f:a": {} } } });
  });

  it("does not own the status through the main endpoint, nor the rest through the status", () => {
    const object = newDeployment();
    object.put("m", { ...deploymentBody, status: { replicas: 1 } });
    assert.doesNotMatch(JSON.stringify(object.owners), /f:status/);
    object.mergePatch(
      "ctl",
      { metadata: { labels: { x: "1" } }, status: { replicas: 3 } },
      { subresource: "status", ignored: resetFields("spec", "metadata.labels") },
    );
    assert.deepEqual(object.owners["ctl Update status"], { "f:status": { "f:replicas": {} } });
  });

  it("folds the oldest of more than ten updates into ancient-changes", () => {
    const object = newConfigMap();
    object.put("m0", { metadata: { name: "p" }, data: { k0: "1" } });
    for (let i = 1; i <= 12; i++) {
      object.now = `2026-01-01T00:00:${String(i).padStart(2, "0")}Z`;
      object.mergePatch(`m${i}`, { data: { [`k${i}`]: "1" } });
    }
    const entries = object.object.metadata.managedFields ?? [];
    assert.deepEqual(
      entries.map(({ manager }) => manager),
      ["ancient-changes", "m4", "m5", "m6", "m7", "m8", "m9", "m10", "m11", "m12"],
    );
    assert.equal(entries[0]?.time, "2026-01-01T00:00:03Z");
    assert.deepEqual(entries[0]?.fieldsV1, {
      "f:data": { ".": {}, "f:k0": {}, "f:k1": {}, "f:k2": {}, "f:k3": {} },
    });
  });

  it("folds into the ancient-changes that are there, even if they are not the oldest", () => {
    const object = newConfigMap();
    object.put("m0", { metadata: { name: "p" }, data: { k0: "1" } });
    object.now = "2026-01-01T00:00:05Z";
    object.mergePatch("ancient-changes", { data: { old: "1" } });
    object.now = "2026-01-01T00:00:01Z";
    for (let i = 1; i <= 9; i++) {
      object.mergePatch(`m${i}`, { data: { [`k${i}`]: "1" } });
    }
    const managers = (object.object.metadata.managedFields ?? []).map(({ manager }) => manager);
    assert.deepEqual(managers.filter((manager) => manager === "ancient-changes").length, 1);
    assert.equal(managers.length, 10);
    assert.deepEqual(object.owners["ancient-changes Update"], {
      "f:data": { ".": {}, "f:k0": {}, "f:old": {} },
    });
  });

  it("drops owners by a version that is not served", () => {
    const object = newConfigMap();
    object.put("m", { metadata: { name: "p" }, data: { a: "1" } });
    const entry = {
      ...object.object.metadata.managedFields?.[0],
      manager: "old",
      apiVersion: "v0",
    };
    const managedFields = [entry, ...(object.object.metadata.managedFields ?? [])];
    object.load({ ...object.object, metadata: { name: "p", managedFields } });
    object.mergePatch("m", { data: { b: "1" } });
    assert.deepEqual(Object.keys(object.owners), ["m Update"]);
  });

  it("forgets all owners if a client sends [{}], and does not track the object from then on", () => {
    const object = newConfigMap();
    object.put("other", { metadata: { name: "p" }, data: { a: "1" } });
    object.mergePatch("m", { metadata: { managedFields: [{}] } });
    assert.equal(object.object.metadata.managedFields, undefined);
    object.mergePatch("m", { data: { b: "1" } });
    assert.equal(object.object.metadata.managedFields, undefined);
  });

  it("forgets all owners if a client sends []", () => {
    const object = newConfigMap();
    object.put("other", { metadata: { name: "p" }, data: { a: "1" } });
    const next = { ...object.object, metadata: { name: "p", managedFields: [] } };
    assert.equal(trackUpdate({ ...writeOf(object.object, next), now: object.now }), undefined);
  });

  it("takes owners that a client sends, in canonical form", () => {
    const object = newDeployment();
    object.put("m", deploymentBody);
    object.mergePatch("x", {
      metadata: {
        managedFields: [
          {
            manager: "sent",
            operation: "Update",
            apiVersion: "apps/v1",
            fieldsType: "FieldsV1",
            fieldsV1: {
              "f:spec": {
                "f:template": {
                  "f:spec": {
                    "f:containers": { 'k:{ "name": "c" }': { "f:image": {}, ".": {} } },
                    "x:future": {},
                  },
                },
                "f:replicas": { ".": {} },
              },
            },
          },
        ],
      },
    });
    assert.equal(
      JSON.stringify(object.owners),
      JSON.stringify({
        "sent Update": {
          "f:spec": {
            "f:replicas": {},
            "f:template": {
              "f:spec": { "f:containers": { 'k:{"name":"c"}': { ".": {}, "f:image": {} } } },
            },
          },
        },
      }),
    );
  });

  for (const [name, entry] of [
    ["another operation", { operation: "Steal" }],
    ["no version", { apiVersion: "" }],
    ["another format", { fieldsType: "FieldsV2" }],
    ["a step without colon", { fieldsV1: { data: {} } }],
    ["a step that is no JSON", { fieldsV1: { "k:{": {} } }],
    ["a step that leads to a scalar", { fieldsV1: { "f:data": 1 } }],
  ] as const) {
    it(`keeps the owners if a client sends one with ${name}`, () => {
      const object = newConfigMap();
      object.put("m", { metadata: { name: "p" }, data: { a: "1" } });
      const good = {
        manager: "sent",
        operation: "Update",
        apiVersion: "v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": {} },
      };
      object.mergePatch("x", { metadata: { managedFields: [{ ...good, ...entry }] } });
      assert.deepEqual(Object.keys(object.owners), ["m Update"]);
    });
  }

  it("ignores owners that are sent through a subresource", () => {
    const object = newConfigMap();
    object.put("m", { metadata: { name: "p" }, data: { a: "1" } });
    object.mergePatch("x", { metadata: { managedFields: [{}] } }, { subresource: "status" });
    assert.deepEqual(Object.keys(object.owners), ["m Update"]);
  });

  it("owns items with the same key together, and each again once there is one of them", () => {
    const object = newDeployment();
    const env = [
      { name: "A", value: "1" },
      { name: "A", value: "2" },
    ];
    const body = (list: typeof env) => ({
      metadata: { name: "d" },
      spec: { template: { spec: { containers: [{ name: "c", env: list }] } } },
    });
    const owned = (): unknown => {
      const text = JSON.stringify(object.owners);
      return /"f:env":(\{.*?\}\})/.exec(text)?.[1];
    };
    object.put("m", body(env));
    assert.match(String(owned()), /"k:\{\\"name\\":\\"A\\"\}":\{\}/);
    object.put("m", body(env.slice(1)));
    assert.match(String(owned()), /"k:\{\\"name\\":\\"A\\"\}":\{"\.":\{\},"f:name"/);
    object.put("m", body(env));
    assert.match(String(owned()), /"k:\{\\"name\\":\\"A\\"\}":\{\}/);
  });

  it("changes nobody's ownership if an item has none of its keys", () => {
    const object = newDeployment();
    object.put("m", deploymentBody);
    const before = object.object.metadata.managedFields;
    const broken = structuredClone(object.object);
    Object.assign(broken, { spec: { template: { spec: { containers: [{ image: "x" }] } } } });
    const tracked = trackUpdate({
      ...writeOf(object.object, broken),
      type: deployment,
      apiVersion: "apps/v1",
      now: object.now,
    });
    assert.equal(tracked, before);
  });

  it("treats constructor and __proto__ as keys like all others", () => {
    const object = newConfigMap();
    const data = JSON.parse('{"__proto__":"1","constructor":"2"}') as Record<string, string>;
    object.put("m", { metadata: { name: "p" }, data });
    object.mergePatch("n", { data: { toString: "3" } });
    assert.deepEqual(object.owners, {
      "m Update": { "f:data": { ".": {}, "f:__proto__": {}, "f:constructor": {} } },
      "n Update": { "f:data": { "f:toString": {} } },
    });
  });
});

describe("trackUpdate of a large object", () => {
  // When each key cost as many steps as there were keys, this held the server up for minutes.
  it("takes 100,000 keys", () => {
    const keys = Array.from({ length: 100_000 }, (_, i) => [`key${i}`, "v"] as const);
    const next: ApiObject = { metadata: { name: "a" }, data: Object.fromEntries(keys) };
    const [entry] = trackUpdate({ ...writeOf(next, next), live: undefined, now: "" }) ?? [];
    const fields = entry?.fieldsV1 as { "f:data": object };
    // And one for the map itself.
    assert.equal(Object.keys(fields["f:data"]).length, 100_001);
  });
});

describe("settleTimes", () => {
  const live: ApiObject = {
    metadata: { name: "p", managedFields: [{ manager: "m", time: "2026-01-01T00:00:00Z" }] },
    data: { a: "1" },
  };
  const later = (change: object): ApiObject => ({
    ...live,
    metadata: {
      name: "p",
      managedFields: [{ manager: "m", time: "2026-01-01T00:00:09Z", ...change }],
    },
  });

  it("takes back new times if nothing else is new", () => {
    assert.deepEqual(settleTimes(live, later({})), live);
  });

  it("leaves new times if an owner changed", () => {
    const next = later({ fieldsV1: { "f:data": {} } });
    assert.equal(settleTimes(live, next), next);
  });

  it("leaves new times if the object changed", () => {
    const next = { ...later({}), data: { a: "2" } };
    assert.equal(settleTimes(live, next), next);
  });
});

function writeOf(live: ApiObject, next: ApiObject): Omit<Parameters<typeof trackUpdate>[0], "now"> {
  return {
    type: configMap,
    live,
    next,
    manager: "m",
    apiVersion: "v1",
    subresource: "",
    ignored: nothingReset,
  };
}
