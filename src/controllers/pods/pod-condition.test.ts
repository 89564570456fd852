import assert from "node:assert/strict";
import { test } from "node:test";
import { isAvailable, isReady, nextAvailableInMs, readySinceMs } from "./pod-condition.ts";
import { madePod } from "./testing/made-pod.ts";

const since = "2024-01-01T00:00:10Z";
const sinceMs = Date.parse(since);

test("A pod is ready when its Ready condition is True, and never without one", () => {
  assert.equal(isReady(madePod({ ready: since })), true);
  assert.equal(isReady(madePod()), false);
  const pod = madePod();
  pod.status.conditions = [{ type: "Ready", status: "False", lastTransitionTime: since }];
  assert.equal(isReady(pod), false);
  assert.equal(readySinceMs(pod), undefined);
});

const availability = [
  { what: "at once without minReadySeconds", min: 0, atMs: sinceMs, is: true },
  { what: "not a millisecond early", min: 10, atMs: sinceMs + 9_999, is: false },
  { what: "exactly when its time has passed", min: 10, atMs: sinceMs + 10_000, is: true },
];
for (const { what, min, atMs, is } of availability) {
  test(`A ready pod is available ${what}`, () => {
    assert.equal(isAvailable(madePod({ ready: since }), min, atMs), is);
  });
}

test("A pod that is ready since nobody knows when is available only if no time is asked for", () => {
  const pod = madePod({ ready: "" });
  assert.equal(isAvailable(pod, 0, sinceMs), true);
  assert.equal(isAvailable(pod, 1, sinceMs + 1e9), false);
});

test("nextAvailableInMs says when the first that is not available yet will be", () => {
  const pods = [madePod({ ready: since }), madePod({ ready: "2024-01-01T00:00:15Z" }), madePod()];
  assert.equal(nextAvailableInMs(pods, 10, sinceMs + 4_000), 6_000);
  assert.equal(nextAvailableInMs(pods, 10, sinceMs + 10_000), 5_000);
  assert.equal(nextAvailableInMs(pods, 10, sinceMs + 15_000), undefined);
  assert.equal(nextAvailableInMs(pods, 0, sinceMs), undefined);
});
