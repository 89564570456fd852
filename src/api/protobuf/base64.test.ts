import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { encodeBase64 } from "./base64.ts";

describe("encodeBase64", () => {
  it("writes what everybody writes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        assert.equal(encodeBase64(bytes), Buffer.from(bytes).toString("base64"));
      }),
    );
  });
});
