import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { auditIdOf, shownAuditId } from "./audit-id.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("auditIdOf", () => {
  it("is the client's own, as it is", () => {
    assert.equal(auditIdOf({ headers: { "audit-id": "my-request-7" } }), "my-request-7");
  });

  it("is a new one if the client has none, or one that cannot be a name", () => {
    assert.match(auditIdOf({ headers: {} }), uuid);
    for (const given of ["", "a b", "ü", "a".repeat(257)]) {
      assert.match(auditIdOf({ headers: { "audit-id": given } }), uuid);
    }
  });

  it("is cut where it is only shown", () => {
    assert.equal(shownAuditId("a".repeat(100)).length, 64);
  });
});
