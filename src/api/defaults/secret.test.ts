import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Secret } from "../types.ts";
import { decoded } from "../validation/testing/judged.ts";
import { base64OfText, textOfBase64 } from "./base64-text.ts";
import { setSecretDefaults } from "./secret.ts";

describe("Defaults of a Secret", () => {
  it("turn texts into bytes, which win over bytes of the same name", () => {
    const secret = decoded<Secret>("v1", "Secret", {
      data: { a: "AA==", b: "AA==" },
      stringData: { b: "ü", c: "" },
    });
    setSecretDefaults(secret);
    assert.deepEqual(secret.data, { a: "AA==", b: "w7w=", c: "" });
    assert.ok(!("stringData" in secret));
  });

  it("make it opaque", () => {
    const secret = decoded<Secret>("v1", "Secret", {});
    setSecretDefaults(secret);
    assert.equal(secret.type, "Opaque");
    assert.equal(secret.data, undefined);
  });
});

describe("base64OfText", () => {
  it("is what the platform makes of any text, and comes back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const whole = text.toWellFormed();
        assert.equal(base64OfText(whole), Buffer.from(whole).toString("base64"));
        assert.equal(textOfBase64(base64OfText(whole)), whole.replace(/^\ufeff/, ""));
      }),
    );
  });

  it("takes long texts", () => {
    const text = "ü".repeat(500_000);
    assert.equal(base64OfText(text), Buffer.from(text).toString("base64"));
  });
});
