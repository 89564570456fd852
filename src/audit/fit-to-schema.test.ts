import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { decodeObject } from "../api/decode.ts";
import { isJsonObject, type JsonObject } from "../api/json.ts";
import { kindOf } from "../api/kinds.ts";
import { damagedJson, fuzz } from "../api/testing/fuzz.ts";
import { fitToSchema } from "./fit-to-schema.ts";

const deployment = kindOf("apps/v1", "Deployment")?.schema ?? assert.fail();
const secret = kindOf("v1", "Secret")?.schema ?? assert.fail();

describe("fitToSchema", () => {
  it("tells every value of the wrong type with its path", () => {
    const { misfits } = fitToSchema(deployment, {
      metadata: { name: "a", annotations: { a: true } },
      spec: { replicas: "3", template: { spec: { containers: [{ name: 1, args: {} }] } } },
    });
    assert.deepEqual(
      misfits.map(({ path, problem }) => [path.join("."), problem]),
      [
        ["metadata.annotations.a", "not-a-string"],
        ["spec.replicas", "unreadable"],
        ["spec.template.spec.containers.0.name", "not-a-string"],
        ["spec.template.spec.containers.0.args", "unreadable"],
      ],
    );
  });

  it("never tells a value", () => {
    const { misfits } = fitToSchema(secret, {
      data: { a: "hunter2!", b: 4711 },
      type: ["hunter2"],
    });
    assert.equal(misfits.length, 3);
    assert.doesNotMatch(JSON.stringify(misfits), /hunter2|4711/);
  });

  it("keeps what is right, and what the table does not know", () => {
    const value = { kind: "Secret", data: { a: "YQ==", b: null }, future: { x: 1 } };
    assert.deepEqual(fitToSchema(secret, value), { value, misfits: [] });
  });

  it("makes of anything what can be decoded", () => {
    const whole: JsonObject = {
      metadata: { name: "a", labels: { b: "c" }, creationTimestamp: "2026-01-01T00:00:00Z" },
      spec: {
        replicas: 1,
        template: {
          spec: {
            containers: [{ name: "a", env: [{ name: "A" }], resources: { limits: { cpu: "1" } } }],
          },
        },
      },
    };
    const input = damagedJson(fc.constant(whole)).filter(isJsonObject);
    const run = (value: JsonObject): unknown =>
      decodeObject(deployment, fitToSchema(deployment, value).value);
    fuzz({ input, throws: [], run });
  });
});
