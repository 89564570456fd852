import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { deployment } from "../schema/apps/deployment.ts";
import { configMap } from "../schema/core/config-map.ts";
import { StatusError } from "../status-error.ts";
import { getOwn } from "./own-property.ts";
import { applyStrategicMerge } from "./strategic-merge.ts";

const live: JsonObject = {
  kind: "Deployment",
  apiVersion: "apps/v1",
  metadata: { name: "d" },
  spec: {
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%" } },
    template: {
      spec: {
        volumes: [{ name: "v", configMap: { name: "p", defaultMode: 420 } }],
        containers: [
          {
            name: "c",
            image: "nginx:1",
            args: ["a", "b"],
            ports: [
              { containerPort: 80, protocol: "TCP" },
              { name: "x", containerPort: 81, protocol: "TCP" },
            ],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
          },
          { name: "s", image: "side" },
        ],
        tolerations: [{ key: "k", operator: "Exists" }],
      },
    },
  },
};

/** Patches the pod's spec. */
function podSpec(patch: JsonObject): JsonObject {
  const patched = applyStrategicMerge(deployment, live, { spec: { template: { spec: patch } } });
  return objectAt(patched, "spec", "template", "spec");
}

function objectAt(object: JsonObject, ...path: readonly string[]): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) {
    return object;
  }
  const value = object[key];
  assert(isJsonObject(value));
  return objectAt(value, ...rest);
}

function namesIn(list: JsonValue | undefined): JsonValue[] {
  assert(Array.isArray(list));
  return list.map((item) => (isJsonObject(item) ? (item["name"] ?? null) : null));
}

describe("applyStrategicMerge", () => {
  it("merges maps, and deletes keys with null", () => {
    const object = { data: { a: "r", copy: "r" }, metadata: { labels: { l: "1" } } };
    const patch = { data: { a: "s" }, metadata: { labels: { l: null, m: "2" } } };
    assert.deepEqual(applyStrategicMerge(configMap, object, patch), {
      data: { a: "s", copy: "r" },
      metadata: { labels: { m: "2" } },
    });
  });

  it("replaces a map on $patch: replace", () => {
    const patch = { data: { $patch: "replace", only: "me" } };
    assert.deepEqual(applyStrategicMerge(configMap, { data: { a: "1" } }, patch), {
      data: { only: "me" },
    });
  });

  it("empties a map on $patch: delete", () => {
    const patch = { data: { $patch: "delete" } };
    assert.deepEqual(applyStrategicMerge(configMap, { data: { a: "1" } }, patch), { data: {} });
  });

  it("merges items by their key", () => {
    const { containers } = podSpec({ containers: [{ name: "c", image: "nginx:2" }] });
    assert(Array.isArray(containers) && isJsonObject(containers[0]));
    assert.deepEqual(namesIn(containers), ["c", "s"]);
    assert.equal(containers[0]["image"], "nginx:2");
    assert.deepEqual(containers[0]["args"], ["a", "b"]);
  });

  it("puts a new item where the patch has it", () => {
    const { containers } = podSpec({
      containers: [
        {
          name: "c",
          env: [
            { name: "B", value: "bb" },
            { name: "C", value: "3" },
          ],
        },
        { name: "new", image: "n" },
      ],
    });
    assert(Array.isArray(containers) && isJsonObject(containers[0]));
    assert.deepEqual(namesIn(containers), ["c", "new", "s"]);
    assert.deepEqual(containers[0]["env"], [
      { name: "A", value: "1" },
      { name: "B", value: "bb" },
      { name: "C", value: "3" },
    ]);
  });

  it("deletes an item on $patch: delete", () => {
    const { containers } = podSpec({ containers: [{ name: "s", $patch: "delete" }] });
    assert.deepEqual(namesIn(containers), ["c"]);
  });

  it("replaces the list on $patch: replace in an item", () => {
    const { containers } = podSpec({
      containers: [{ $patch: "replace" }, { name: "z", image: "zz" }],
    });
    assert.deepEqual(containers, [{ name: "z", image: "zz" }]);
  });

  it("brings items into the order of $setElementOrder", () => {
    const { containers } = podSpec({
      "$setElementOrder/containers": [{ name: "s" }, { name: "c" }],
      containers: [{ name: "s", image: "side2" }],
    });
    assert(Array.isArray(containers) && isJsonObject(containers[0]));
    assert.deepEqual(namesIn(containers), ["s", "c"]);
    assert.equal(containers[0]["image"], "side2");
  });

  it("orders items also if the patch has none of them", () => {
    const { containers } = podSpec({
      "$setElementOrder/containers": [{ name: "s" }, { name: "c" }],
    });
    assert.deepEqual(namesIn(containers), ["s", "c"]);
  });

  it("drops keys that $retainKeys does not name", () => {
    const { volumes } = podSpec({
      volumes: [{ name: "v", $retainKeys: ["name", "secret"], secret: { secretName: "s" } }],
    });
    assert.deepEqual(volumes, [{ name: "v", secret: { secretName: "s" } }]);
    const patched = applyStrategicMerge(deployment, live, {
      spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } },
    });
    assert.deepEqual(objectAt(patched, "spec", "strategy"), { type: "Recreate" });
  });

  it("keeps keys without $retainKeys", () => {
    const patched = applyStrategicMerge(deployment, live, {
      spec: { strategy: { type: "Recreate" } },
    });
    assert.deepEqual(objectAt(patched, "spec", "strategy"), {
      type: "Recreate",
      rollingUpdate: { maxSurge: "25%" },
    });
  });

  it("replaces lists that have no merge key", () => {
    const { tolerations, containers } = podSpec({
      tolerations: [{ key: "z", operator: "Exists" }],
      containers: [{ name: "c", args: ["q"] }],
    });
    assert.deepEqual(tolerations, [{ key: "z", operator: "Exists" }]);
    assert(Array.isArray(containers) && isJsonObject(containers[0]));
    assert.deepEqual(containers[0]["args"], ["q"]);
  });

  it("merges ports by containerPort alone", () => {
    const { containers } = podSpec({
      containers: [
        { name: "c", ports: [{ containerPort: 81, name: "renamed" }, { containerPort: 82 }] },
      ],
    });
    assert(Array.isArray(containers) && isJsonObject(containers[0]));
    assert.deepEqual(containers[0]["ports"], [
      { containerPort: 80, protocol: "TCP" },
      { name: "renamed", containerPort: 81, protocol: "TCP" },
      { containerPort: 82 },
    ]);
  });

  it("merges lists of scalars, and deletes from them with $deleteFromPrimitiveList", () => {
    const object = { metadata: { finalizers: ["x.y/a", "x.y/z"] } };
    const merged = applyStrategicMerge(configMap, object, {
      metadata: { finalizers: ["x.y/z", "x.y/w"] },
    });
    assert.deepEqual(merged, { metadata: { finalizers: ["x.y/a", "x.y/z", "x.y/w"] } });
    const deleted = applyStrategicMerge(configMap, merged, {
      metadata: { "$deleteFromPrimitiveList/finalizers": ["x.y/z", "x.y/w"] },
    });
    assert.deepEqual(deleted, { metadata: { finalizers: ["x.y/a"] } });
  });

  it("takes nulls and directives out of what it adds", () => {
    const patch = { metadata: { annotations: { a: "1", b: null } }, data: { $patch: "delete" } };
    assert.deepEqual(applyStrategicMerge(configMap, { metadata: {} }, patch), {
      metadata: { annotations: { a: "1" } },
    });
  });

  it("adds what kubectl rollout restart sends", () => {
    const annotations = { "kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z" };
    const patched = applyStrategicMerge(deployment, live, {
      spec: { template: { metadata: { annotations } } },
    });
    assert.deepEqual(objectAt(patched, "spec", "template", "metadata"), { annotations });
  });

  it("treats __proto__ as a key like all others", () => {
    const patch = JSON.parse('{"data":{"__proto__":"x"}}') as JsonObject;
    const { data } = applyStrategicMerge(configMap, { data: { a: "1" } }, patch);
    assert(isJsonObject(data));
    assert.equal(getOwn(data, "__proto__"), "x");
  });

  for (const { name, type, patch, code, message } of [
    {
      name: "an item without merge key",
      patch: { spec: { template: { spec: { containers: [{ image: "x" }] } } } },
      code: 500,
      message: "map: map[image:x] does not contain declared merge key: name",
    },
    {
      name: "a list in place of an object",
      patch: { spec: [] },
      code: 422,
      message:
        ' "" is invalid: patch: Invalid value: "map[spec:[]]": cannot restore struct from: slice',
    },
    {
      name: "an unknown directive for a map",
      patch: { spec: { $patch: "merge" } },
      code: 500,
      message: "unknown patch type: merge in map: map[$patch:merge]",
    },
    {
      name: "an unknown directive for an item",
      patch: { spec: { template: { spec: { containers: [{ name: "c", $patch: 1 }] } } } },
      code: 500,
      message: "unknown patch type: %!s(int64=1) in map: map[$patch:1 name:c]",
    },
    {
      name: "$patch: merge for an item",
      patch: { spec: { template: { spec: { containers: [{ name: "c", $patch: "merge" }] } } } },
      code: 500,
      message: "merging lists cannot yet be specified in the patch",
    },
    {
      name: "a field that $retainKeys does not name",
      patch: { spec: { strategy: { $retainKeys: ["type"], rollingUpdate: {} } } },
      code: 400,
      message: "invalid patch format of retainKeys",
    },
    {
      name: "$retainKeys that is no list",
      patch: { spec: { strategy: { $retainKeys: "type" } } },
      code: 400,
      message: "invalid patch format of retainKeys",
    },
    {
      name: "a directive without the name of its list",
      type: configMap,
      patch: { $deleteFromPrimitiveList: [] },
      code: 400,
      message: "invalid patch format of primitive list",
    },
    {
      name: "an order without the name of its list",
      type: configMap,
      patch: { $setElementOrder: [] },
      code: 400,
      message: "invalid patch format of setElementOrder list",
    },
    {
      name: "an item that the order does not name",
      patch: {
        spec: {
          template: {
            spec: {
              "$setElementOrder/containers": [{ name: "c" }],
              containers: [{ name: "s" }],
            },
          },
        },
      },
      code: 500,
      message:
        "The order in patch list:\n[map[name:s]]\n doesn't match $setElementOrder list:\n[map[name:c]]\n",
    },
    {
      name: "an order of an unknown list",
      patch: { spec: { "$setElementOrder/foo": [] } },
      code: 500,
      message: 'unable to find api field in struct DeploymentSpec for the json field "foo"',
    },
    {
      name: "a list of lists",
      patch: { spec: { template: { spec: { containers: [["x"]] } } } },
      code: 422,
      message: "the server rejected our request due to an error in our request",
    },
    {
      name: "scalars among items",
      patch: { spec: { template: { spec: { volumes: ["x"] } } } },
      code: 500,
      message:
        "list element types are not identical: [[map[configMap:map[defaultMode:420 name:p] name:v]] [x]]",
    },
    {
      name: "a patch that is no object",
      patch: [],
      code: 400,
      message: "json: cannot unmarshal array into Go value of type map[string]interface {}",
    },
  ] satisfies readonly {
    name: string;
    type?: typeof configMap;
    patch: JsonValue;
    code: number;
    message: string;
  }[]) {
    it(`refuses ${name} with ${code}`, () => {
      assert.throws(
        () => applyStrategicMerge(type ?? deployment, live, patch),
        (err: unknown) => {
          assert(err instanceof StatusError);
          assert.deepEqual([err.code, err.message], [code, message]);
          return true;
        },
      );
    });
  }

  it("says the same when it is done twice", () => {
    fc.assert(
      fc.property(podSpecs(), podSpecs(), (spec, patch) => {
        const once = applyStrategicMerge(deployment, inTemplate(spec), inTemplate(patch));
        assert.deepEqual(applyStrategicMerge(deployment, once, inTemplate(patch)), once);
      }),
    );
  });

  it("changes neither the object nor the patch", () => {
    fc.assert(
      fc.property(podSpecs(), podSpecs(), (spec, patch) => {
        const before = JSON.stringify([spec, patch]);
        applyStrategicMerge(deployment, inTemplate(spec), inTemplate(patch));
        assert.equal(JSON.stringify([spec, patch]), before);
      }),
    );
  });
});

function inTemplate(spec: JsonObject): JsonObject {
  return { spec: { template: { spec } } };
}

function podSpecs(): fc.Arbitrary<JsonObject> {
  const name = fc.constantFrom("a", "b", "c", "d");
  const named = (fields: Record<string, fc.Arbitrary<JsonValue>>): fc.Arbitrary<JsonObject[]> =>
    fc.uniqueArray(
      fc.record({ name, ...fields }, { requiredKeys: ["name"], noNullPrototype: true }),
      {
        selector: (item) => item.name,
        maxLength: 4,
      },
    );
  return fc.record(
    {
      containers: named({ image: fc.string(), env: named({ value: fc.string() }) }),
      volumes: named({ emptyDir: fc.constant({}) }),
      tolerations: fc.array(fc.string().map((key) => ({ key }))),
      nodeSelector: fc.dictionary(name, fc.string(), { noNullPrototype: true }),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
}
