import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { graceSeconds } from "./grace-period.ts";
import { testPod } from "./testing/test-pod.ts";

const pod = (deletionGracePeriodSeconds?: number): ReturnType<typeof testPod> =>
  testPod({
    metadata: deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds },
    spec: { terminationGracePeriodSeconds: 40 },
  });

describe("graceSeconds", () => {
  it("is what the server says, or else what the pod asked for", () => {
    assert.equal(graceSeconds(pod(10)), 10);
    assert.equal(graceSeconds(pod()), 40);
  });

  it("is never less than a second", () => {
    assert.equal(graceSeconds(pod(0)), 1);
  });

  it("gets shorter but not longer", () => {
    assert.equal(graceSeconds(pod(5), 10), 5);
    assert.equal(graceSeconds(pod(20), 10), 10);
    assert.equal(graceSeconds(pod(), 10), 10);
  });
});
