import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { kinds } from "../kinds.ts";
import { WireReader } from "../protobuf/wire-reader.ts";
import { encodeOpenApiV2 } from "./encode-openapi-v2.ts";
import { openApiV2 } from "./openapi-v2.ts";

/** What a way of field numbers leads to, as far as it forks: each the bytes of a string or message. */
function follow(bytes: Uint8Array, ...way: readonly number[]): readonly Uint8Array[] {
  const [number, ...rest] = way;
  if (number === undefined) return [bytes];
  const found: Uint8Array[] = [];
  const reader = new WireReader(bytes);
  while (!reader.done) {
    const tag = reader.tag();
    if (tag === number * 8 + 2) found.push(reader.bytes());
    else reader.skip(tag);
  }
  return found.flatMap((inner) => follow(inner, ...rest));
}

function texts(bytes: Uint8Array, ...way: readonly number[]): readonly string[] {
  return follow(bytes, ...way).map((inner) => new TextDecoder().decode(inner));
}

/** The value of the entry with that name. */
function entry(entries: readonly Uint8Array[], name: string): Uint8Array {
  const [found] = entries.filter((candidate) => texts(candidate, 1)[0] === name);
  const [value] = found === undefined ? [] : follow(found, 2);
  assert(value !== undefined, name);
  return value;
}

const document = openApiV2(kinds);
const bytes = encodeOpenApiV2(document);
const definition = entry(follow(bytes, 9, 1), "io.k8s.api.core.v1.Container");

describe("encodeOpenApiV2", () => {
  it("says which version of OpenAPI it is, of whom", () => {
    assert.deepEqual(texts(bytes, 1), ["2.0"]);
    assert.deepEqual(texts(bytes, 2, 1), ["Kubernetes"]);
  });

  it("carries every path and every definition", () => {
    assert.deepEqual(texts(bytes, 8, 2, 1), Object.keys(document["paths"] as object));
    assert.deepEqual(texts(bytes, 9, 1, 1), Object.keys(document["definitions"] as object));
  });

  it("writes schemas: type, required, properties, items and references", () => {
    assert.deepEqual(texts(definition, 22, 1), ["object"]);
    assert.deepEqual(texts(definition, 19), ["name"]);
    const ports = entry(follow(definition, 25, 1), "ports");
    assert.deepEqual(texts(ports, 22, 1), ["array"]);
    assert.deepEqual(texts(ports, 23, 1, 1), ["#/definitions/io.k8s.api.core.v1.ContainerPort"]);
    const policy = entry(follow(definition, 25, 1), "imagePullPolicy");
    assert.deepEqual(texts(policy, 20, 2), ['"Always"\n', '"IfNotPresent"\n', '"Never"\n']);
    const limits = entry(follow(bytes, 9, 1), "io.k8s.api.core.v1.ResourceRequirements");
    assert.deepEqual(texts(entry(follow(limits, 25, 1), "limits"), 21, 1, 1), [
      "#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity",
    ]);
  });

  it("writes words of Kubernetes as text in YAML", () => {
    const ports = entry(follow(definition, 25, 1), "ports");
    assert.deepEqual(texts(entry(follow(ports, 31), "x-kubernetes-list-map-keys"), 2), [
      '["containerPort","protocol"]\n',
    ]);
  });

  it("writes operations with parameters by their place", () => {
    const path = entry(follow(bytes, 8, 2), "/api/v1/namespaces/{namespace}/configmaps/{name}");
    assert.deepEqual(texts(path, 8, 8, 1, 2, 3, 4), [
      "dryRun",
      "fieldManager",
      "fieldValidation",
      "force",
    ]);
    assert.deepEqual(texts(path, 8, 8, 1, 1, 2), ["body"]);
    assert.deepEqual(texts(path, 9, 1, 2, 4, 4), ["name", "namespace"]);
    const [patch] = follow(path, 8);
    assert(patch !== undefined);
    assert.deepEqual(texts(entry(follow(patch, 13), "x-kubernetes-group-version-kind"), 2), [
      '{"group":"","kind":"ConfigMap","version":"v1"}\n',
    ]);
    const answer = entry(follow(patch, 9, 1), "200");
    assert.deepEqual(texts(answer, 1, 2, 1, 1), ["#/definitions/io.k8s.api.core.v1.ConfigMap"]);
  });
});
