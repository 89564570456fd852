import { equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { Sessions } from "./sessions.ts";

describe("Sessions", () => {
  it("lets in as many as there is room for, and again when one has left", () => {
    const sessions = new Sessions(2);
    const first = sessions.enter();
    sessions.enter();
    throws(() => sessions.enter(), { code: 429, message: /too many sessions on this node \(2\)/ });
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    equal(sessions.count, 1);
    sessions.enter();
    equal(sessions.count, 2);
  });
});
