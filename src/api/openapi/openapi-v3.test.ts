import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../json.ts";
import { kinds } from "../kinds.ts";
import { openApiV3, openApiV3At, openApiV3Index } from "./openapi-v3.ts";

function index(): Readonly<Record<string, { readonly serverRelativeURL: string }>> {
  return openApiV3Index(kinds)["paths"] as never;
}

function schemas(document: JsonObject): Readonly<Record<string, JsonObject>> {
  return (document["components"] as JsonObject)["schemas"] as never;
}

describe("openApiV3Index", () => {
  it("names every document that can be asked for, with a hash", () => {
    const paths = index();
    for (const name of ["api", "apis", "version", "api/v1", "apis/apps", "apis/apps/v1"]) {
      assert.match(
        paths[name]?.serverRelativeURL ?? "",
        new RegExp(`^/openapi/v3/${name}\\?hash=[0-9A-F]{32}$`),
      );
    }
    for (const name of Object.keys(paths)) assert(openApiV3At(kinds, name) !== undefined, name);
  });

  it("gives different documents different hashes, and the same one the same", () => {
    const hashes = Object.values(index()).map(
      ({ serverRelativeURL }) => serverRelativeURL.split("=")[1],
    );
    assert.equal(new Set(hashes).size, hashes.length);
    assert.deepEqual(index(), index());
  });
});

describe("openApiV3At", () => {
  it("knows no other documents", () => {
    for (const path of ["", "api/v2", "apis/none", "apis/", "apis/apps/v2", "/api"]) {
      assert.equal(openApiV3At(kinds, path), undefined, path);
    }
  });
});

describe("openApiV3", () => {
  it("has the kinds of one group and version, with all that they contain", () => {
    const document = openApiV3(kinds, "coordination.k8s.io", "v1");
    assert.deepEqual(Object.keys(document["paths"] as JsonObject), [
      "/apis/coordination.k8s.io/v1/",
      "/apis/coordination.k8s.io/v1/leases",
      "/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases",
      "/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/{name}",
    ]);
    assert.equal(schemas(document)["io.k8s.api.core.v1.Pod"], undefined);
    const references = [
      ...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g),
    ];
    for (const [, name = ""] of references) assert(schemas(document)[name] !== undefined, name);
  });

  it("tells clients that PATCH takes fieldValidation", () => {
    const paths = openApiV3(kinds, "", "v1")["paths"] as Record<string, Record<string, JsonObject>>;
    const patch = paths["/api/v1/namespaces/{namespace}/configmaps/{name}"]?.["patch"];
    const parameters = patch?.["parameters"] as readonly JsonObject[];
    assert.deepEqual(
      parameters.filter((parameter) => parameter["in"] === "query").map(({ name }) => name),
      ["dryRun", "fieldManager", "fieldValidation", "force"],
    );
  });

  it("tells defaults, of the table and of what is always there", () => {
    const all = schemas(openApiV3(kinds, "", "v1"));
    const properties = (name: string): Record<string, JsonObject> =>
      all[name]?.["properties"] as never;
    assert.equal(properties("io.k8s.api.core.v1.ContainerPort")["protocol"]?.["default"], "TCP");
    const meta = properties("io.k8s.api.core.v1.ConfigMap")["metadata"];
    assert.deepEqual(meta?.["default"], {});
    assert.deepEqual(meta["allOf"], [
      { $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" },
    ]);
    assert.equal(properties("io.k8s.api.core.v1.Container")["name"]?.["default"], "");
    assert(!("default" in (properties("io.k8s.api.core.v1.PodSpec")["nodeName"] ?? {})));
  });
});
