import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Policy, policyOf, privileged, textOf } from "./policy.ts";

const prefix = "pod-security.kubernetes.io/";

function read(labels: { readonly [key: string]: string }, defaults: Policy = privileged): string {
  const prefixed = Object.entries(labels).map(([key, value]) => [prefix + key, value] as const);
  const { policy, errors } = policyOf(Object.fromEntries(prefixed), defaults);
  const texts = [policy.enforce, policy.audit, policy.warn].map(textOf);
  return [texts.join(" "), ...errors.map(({ field, message }) => `${field}: ${message}`)].join(
    "\n",
  );
}

const cases: readonly (readonly [string, { readonly [key: string]: string }, string])[] = [
  ["nothing", {}, "privileged:latest privileged:latest privileged:latest"],
  [
    "a level, of which is warned too",
    { enforce: "baseline", "enforce-version": "v1.30" },
    "baseline:v1.30 privileged:latest baseline:v1.30",
  ],
  [
    "a level, and another version for warnings",
    { enforce: "baseline", "enforce-version": "v1.30", "warn-version": "v1.31" },
    "baseline:v1.30 privileged:latest baseline:v1.31",
  ],
  [
    "no warnings",
    { enforce: "restricted", warn: "privileged" },
    "restricted:latest privileged:latest privileged:latest",
  ],
  [
    "everything",
    { enforce: "privileged", audit: "restricted", "audit-version": "latest", warn: "baseline" },
    "privileged:latest restricted:latest baseline:latest",
  ],
  [
    "a level that is none, which is the strictest and not warned of",
    { enforce: "Baseline" },
    `restricted:latest privileged:latest privileged:latest
metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "Baseline": must be one of privileged, baseline, restricted`,
  ],
  [
    "other levels that are none, which count for nothing",
    { audit: "x", warn: "" },
    `privileged:latest privileged:latest privileged:latest
metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: "x": must be one of privileged, baseline, restricted
metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: "": must be one of privileged, baseline, restricted`,
  ],
  [
    "a version that is none, which is the latest",
    { "enforce-version": "1.30", "audit-version": "v1.x" },
    `privileged:latest privileged:latest privileged:latest
metadata.labels[pod-security.kubernetes.io/enforce-version]: Invalid value: "1.30": must be "latest" or "v1.x"
metadata.labels[pod-security.kubernetes.io/audit-version]: Invalid value: "v1.x": must be "latest" or "v1.x"`,
  ],
];

describe("Labels for pod security ask for", () => {
  for (const [name, labels, expected] of cases) {
    it(name, () => assert.equal(read(labels), expected));
  }

  it("the defaults where they are silent", () => {
    const level = { level: "baseline", version: 30 } as const;
    const defaults: Policy = { enforce: level, audit: level, warn: level };
    assert.equal(
      read({ audit: "restricted" }, defaults),
      "baseline:v1.30 restricted:v1.30 baseline:v1.30",
    );
  });
});
