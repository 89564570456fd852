import assert from "node:assert/strict";
import { test } from "node:test";
import { sameStatus } from "./same-status.ts";

test("A count of 0 that the server left out is no difference", () => {
  assert.ok(sameStatus({ replicas: 0, readyReplicas: 0 }, { replicas: 0 }));
  assert.ok(sameStatus({ replicas: 0, conditions: [] }, {}));
});

test("Counts and conditions that differ are a difference", () => {
  assert.ok(!sameStatus({ readyReplicas: 1 }, {}));
  assert.ok(!sameStatus({ readyReplicas: 0 }, { readyReplicas: 1 }));
  assert.ok(!sameStatus({ conditions: [{ type: "A" }] }, { conditions: [{ type: "B" }] }));
});
