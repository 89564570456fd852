import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodeObject } from "../decode.ts";
import { DecodeError } from "../decode-error.ts";
import { configMap } from "../schema/core/config-map.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { invalidPatchResult } from "./patch-error.ts";

describe("invalidPatchResult", () => {
  it("shows the patched object and what is wrong with it", () => {
    const live = {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "p", labels: { l: "1" } },
      data: { c: "3", a: "x" },
    };
    const patched = applyMergePatch(live, { data: { a: 5 } });
    const fault = faultOf(() => decodeObject(configMap, patched));
    const shown =
      '"{\\"apiVersion\\":\\"v1\\",\\"data\\":{\\"a\\":5,\\"c\\":\\"3\\"},\\"kind\\":\\"ConfigMap\\",' +
      '\\"metadata\\":{\\"name\\":\\"p\\",\\"labels\\":{\\"l\\":\\"1\\"}}}"';
    const message = `Invalid value: ${shown}: json: cannot unmarshal number into Go struct field ConfigMap.data of type string`;
    assert.deepEqual(invalidPatchResult(JSON.stringify(patched), fault).toStatus(), {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: ` "" is invalid: patch: ${message}`,
      reason: "Invalid",
      details: { causes: [{ reason: "FieldValueInvalid", message, field: "patch" }] },
      code: 422,
    });
  });
});

function faultOf(action: () => void): string {
  try {
    action();
  } catch (err) {
    assert(err instanceof DecodeError);
    return err.message;
  }
  return assert.fail("it could be decoded");
}
