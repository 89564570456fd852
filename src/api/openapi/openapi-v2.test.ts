import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject, JsonValue } from "../json.ts";
import { kinds } from "../kinds.ts";
import { openApiV2 } from "./openapi-v2.ts";

/** What is at the end of the way. */
function at(value: JsonValue | undefined, ...way: readonly string[]): JsonObject {
  let inner = value;
  for (const step of way) inner = (inner as JsonObject | undefined)?.[step];
  assert(inner !== undefined, way.join(" "));
  return inner as JsonObject;
}

function withoutProse(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== "description"));
}

const document = openApiV2(kinds);
const core = "io.k8s.api.core.v1";

function property(type: string, name: string): JsonObject {
  return withoutProse(at(document, "definitions", `${core}.${type}`, "properties", name));
}

describe("openApiV2", () => {
  it("resolves every reference that it makes", () => {
    const definitions = at(document, "definitions");
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)];
    assert(references.length > 1000);
    for (const [, name = ""] of references) assert(definitions[name] !== undefined, name);
  });

  it("has the operations of every kind, under the words that clients look for", () => {
    const path = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}";
    const patch = at(document, "paths", path, "patch");
    assert.deepEqual(patch["x-kubernetes-group-version-kind"], {
      group: "apps",
      kind: "Deployment",
      version: "v1",
    });
    assert.equal(patch["x-kubernetes-action"], "patch");
    const names = (patch["parameters"] as readonly JsonObject[]).map(({ name }) => name);
    assert.deepEqual(names, ["body", "dryRun", "fieldManager", "fieldValidation", "force"]);
    assert.deepEqual(Object.keys(at(document, "paths", path)), [
      "get",
      "put",
      "delete",
      "patch",
      "parameters",
    ]);
  });

  it("gives every operation its own id", () => {
    const ids = [...JSON.stringify(document["paths"]).matchAll(/"operationId":"([^"]+)"/g)].map(
      ([, id]) => id,
    );
    assert.deepEqual([...new Set(ids)].length, ids.length);
    assert(ids.includes("listCoreV1ConfigMapForAllNamespaces"));
    assert(ids.includes("deleteCoreV1CollectionNamespacedConfigMap"));
    assert(ids.includes("connectCoreV1PostNamespacedPodExec"));
  });

  it("leaves out operations of verbs that a kind does not have", () => {
    const reviews = at(document, "paths", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
    assert.deepEqual(Object.keys(reviews), ["post", "parameters"]);
    assert.equal(
      at(document, "paths")["/api/v1/namespaces/{namespace}/bindings/{name}"],
      undefined,
    );
  });

  it("names the kind of every type that stands alone", () => {
    const key = "x-kubernetes-group-version-kind";
    assert.deepEqual(at(document, "definitions", `${core}.PodList`)[key], [
      { group: "", kind: "PodList", version: "v1" },
    ]);
    assert.deepEqual(at(document, "definitions", "io.k8s.api.autoscaling.v1.Scale")[key], [
      { group: "autoscaling", kind: "Scale", version: "v1" },
    ]);
    assert.equal(at(document, "definitions", `${core}.Container`)[key], undefined);
  });

  it("says how lists and maps are merged", () => {
    assert.deepEqual(property("Container", "ports"), {
      "x-kubernetes-patch-merge-key": "containerPort",
      "x-kubernetes-patch-strategy": "merge",
      type: "array",
      items: { $ref: `#/definitions/${core}.ContainerPort` },
      "x-kubernetes-list-map-keys": ["containerPort", "protocol"],
      "x-kubernetes-list-type": "map",
    });
    assert.equal(property("PodSpec", "volumes")["x-kubernetes-patch-strategy"], "merge,retainKeys");
    assert.equal(property("PodSpec", "tolerations")["x-kubernetes-list-type"], "atomic");
    assert.equal(property("PodSpec", "nodeSelector")["x-kubernetes-map-type"], "atomic");
    assert.equal(
      at(document, "definitions", `${core}.LocalObjectReference`)["x-kubernetes-map-type"],
      "atomic",
    );
  });

  it("writes scalars with their formats and choices", () => {
    assert.deepEqual(property("ConfigMap", "binaryData"), {
      type: "object",
      additionalProperties: { type: "string", format: "byte" },
    });
    assert.deepEqual(property("PodSpec", "restartPolicy"), {
      type: "string",
      enum: ["Always", "Never", "OnFailure"],
    });
    assert.deepEqual(property("SecurityContext", "runAsUser"), {
      type: "integer",
      format: "int64",
    });
    assert.deepEqual(property("HTTPGetAction", "port"), {
      $ref: "#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString",
    });
    assert.deepEqual(
      at(document, "definitions", "io.k8s.apimachinery.pkg.util.intstr.IntOrString"),
      {
        type: "string",
        format: "int-or-string",
      },
    );
  });

  it("lists required fields and tells no defaults", () => {
    assert.deepEqual(at(document, "definitions", `${core}.ContainerPort`)["required"], [
      "containerPort",
    ]);
    assert(!("default" in property("ContainerPort", "protocol")));
  });
});
