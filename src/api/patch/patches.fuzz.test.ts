// Patches of nonsense: a result or an error for the client.

import { describe, it } from "node:test";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../json.ts";
import { deployment } from "../schema/apps/deployment.ts";
import { pod } from "../schema/core/pod.ts";
import { StatusError } from "../status-error.ts";
import { annoyingJson, annoyingText, damagedJson, fuzz } from "../testing/fuzz.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { applyStrategicMerge } from "./strategic-merge.ts";

const throws = [StatusError];
const containers = [
  { name: "a", image: "i", args: ["x"], ports: [{ containerPort: 80, protocol: "TCP" }] },
  { name: "b", env: [{ name: "E", value: "1" }] },
];
const live: JsonObject = {
  metadata: { name: "d", labels: { a: "b", __proto: "c" }, finalizers: ["f"] },
  spec: { template: { spec: { containers, volumes: [{ name: "v", emptyDir: {} }] } }, replicas: 1 },
};
const patchOf = (fields: JsonObject): JsonValue => ({ spec: { template: { spec: fields } } });
const valid = fc.constantFrom<JsonValue>(
  live,
  patchOf({
    containers: [{ name: "a", $patch: "delete" }],
    "$setElementOrder/containers": [{ name: "b" }],
  }),
  patchOf({ containers: [{ $patch: "replace" }, { name: "z" }], $retainKeys: ["containers"] }),
  { metadata: { "$deleteFromPrimitiveList/finalizers": ["f"], labels: null } },
);
const patch = fc.oneof(damagedJson(valid), annoyingJson);

describe("a patch that is nonsense", () => {
  it("as a merge is done or refused", () => {
    fuzz({ input: patch, throws, run: (value) => applyMergePatch(live, value) });
  });

  it("as a strategic merge is done or refused", () => {
    const input = fc.tuple(fc.constantFrom(deployment, pod), patch);
    fuzz({ input, throws, run: ([type, value]) => applyStrategicMerge(type, live, value) });
  });

  it("as operations is done or refused", () => {
    const known = fc.constantFrom(
      "",
      "/spec",
      "/spec/template/spec/containers/0",
      "/metadata/labels/a",
      "/x",
    );
    const path = fc
      .tuple(known, fc.array(annoyingText, { maxLength: 3 }))
      .map(([start, rest]) => [start, ...rest].join("/"));
    const op = fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "__proto__");
    const operation = fc.record(
      { op, path, from: path, value: annoyingJson },
      { requiredKeys: [] },
    );
    const operations = fc.array(fc.oneof({ weight: 9, arbitrary: operation }, annoyingJson), {
      maxLength: 12,
    });
    const input = operations.map((list) => list as JsonValue);
    fuzz({ input, throws, run: (value) => applyJsonPatch(live, value) });
  });
});
