import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { missingLimits } from "./missing-limits.ts";

describe("missingLimits", () => {
  it("says for each controller what does not hold without it", () => {
    assert.deepEqual(missingLimits([]), []);
    assert.deepEqual(missingLimits(["cpu", "memory"]), [
      "cgroup controller cpu is not there for this agent: limits and requests of cpu have no effect",
      "cgroup controller memory is not there for this agent: limits of memory have no effect, and OOMKilled is never reported",
    ]);
  });
});
