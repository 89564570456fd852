import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shouldRestart } from "./restart-policy.ts";
import { testContainer, testPod } from "./testing/test-pod.ts";

const cases: readonly (readonly [policy: string, exitCode: number, expected: boolean])[] = [
  ["Always", 0, true],
  ["Always", 1, true],
  ["OnFailure", 0, false],
  ["OnFailure", 1, true],
  ["Never", 0, false],
  ["Never", 1, false],
];

describe("shouldRestart", () => {
  for (const [restartPolicy, exitCode, expected] of cases) {
    it(`says ${expected} for ${restartPolicy} after exit code ${exitCode}`, () => {
      const app = testContainer("app");
      assert.equal(shouldRestart(testPod({ spec: { restartPolicy } }), app, exitCode), expected);
      const own = { ...app, restartPolicy };
      const other = restartPolicy === "Never" ? "Always" : "Never";
      assert.equal(
        shouldRestart(testPod({ spec: { restartPolicy: other } }), own, exitCode),
        expected,
      );
    });
  }

  it("lets a container's rules decide before its policy", () => {
    const rule = (operator: string, values: number[]): ReturnType<typeof testContainer> => ({
      ...testContainer("app"),
      restartPolicy: "Never",
      restartPolicyRules: [{ action: "Restart", exitCodes: { operator, values } }],
    });

    assert.equal(shouldRestart(testPod(), rule("In", [42]), 42), true);
    assert.equal(shouldRestart(testPod(), rule("In", [42]), 1), false);
    assert.equal(shouldRestart(testPod(), rule("NotIn", [42]), 1), true);
    assert.equal(shouldRestart(testPod(), rule("NotIn", [42]), 42), false);
  });
});
