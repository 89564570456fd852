import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requestWidth } from "./request-width.ts";

const list = { verb: "list", isOne: false, stored: 450, limit: 0, wantsState: false };

describe("requestWidth", () => {
  it("takes a seat for every hundred objects of a list, at least one and at most ten", () => {
    assert.equal(requestWidth(list), 5);
    assert.equal(requestWidth({ ...list, limit: 100 }), 1);
    assert.equal(requestWidth({ ...list, stored: 0 }), 1);
    assert.equal(requestWidth({ ...list, stored: 1e6 }), 10);
  });

  it("takes one for a single object and for a watch that begins with nothing", () => {
    assert.equal(requestWidth({ ...list, isOne: true }), 1);
    assert.equal(requestWidth({ ...list, verb: "get" }), 1);
    assert.equal(requestWidth({ ...list, verb: "watch" }), 1);
    assert.equal(requestWidth({ ...list, verb: "watch", wantsState: true }), 5);
  });
});
