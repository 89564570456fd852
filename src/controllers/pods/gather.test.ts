import assert from "node:assert/strict";
import { test } from "node:test";
import { gatherMs } from "./gather.ts";

test("Only large workloads wait for more changes, and none for long", () => {
  assert.deepEqual([0, 1, 100, 101, 5000, 1e6].map(gatherMs), [0, 0, 0, 10.1, 500, 1000]);
});
