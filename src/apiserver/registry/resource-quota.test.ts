import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itAccepts, itJudgesUpdates, itRefuses } from "./testing/refusals.ts";
import { created, merged, strategyFor, withStatus } from "./testing/writes.ts";

const quota = {
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "x" },
  spec: { hard: { pods: "3" }, scopes: ["BestEffort"] },
};
const range = {
  apiVersion: "v1",
  kind: "LimitRange",
  metadata: { name: "x" },
  spec: { limits: [{ type: "Container", max: { cpu: "2" }, min: { cpu: "1", memory: "1" } }] },
};
const scopes = 'spec.scopes: Invalid value: ["x","BestEffort","NotBestEffort"]';

describe("ResourceQuota", () => {
  itAccepts(quota);

  itRefuses(quota, [
    [
      "resources and amounts that cannot be",
      { spec: { hard: { pods: "1500m", bananas: "1", "limits.cpu": "-1" }, scopes: null } },
      'spec.hard[bananas]: Invalid value: "bananas": must be a standard resource type or fully qualified',
      'spec.hard[bananas]: Invalid value: "bananas": must be a standard resource for quota',
      'spec.hard[limits.cpu]: Invalid value: "-1": must be greater than or equal to 0',
      'spec.hard[pods]: Invalid value: "1500m": must be an integer',
    ],
    [
      "scopes that are unknown, do not fit or exclude each other",
      { spec: { hard: { services: "1" }, scopes: ["x", "BestEffort", "NotBestEffort"] } },
      `${scopes}: unsupported scope`,
      `${scopes}: unsupported scope applied to resource`,
      `${scopes}: unsupported scope applied to resource`,
      `${scopes}: conflicting scopes`,
    ],
    [
      "a selector of scopes without values",
      {
        spec: {
          scopes: null,
          scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In" }] },
        },
      },
      "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    ],
  ]);

  itJudgesUpdates(quota, [
    [
      "changes the scopes",
      { spec: { scopes: ["NotBestEffort"] } },
      'spec.scopes: Invalid value: ["NotBestEffort"]: field is immutable',
    ],
  ]);

  it("refuses a negative use", () => {
    assert.deepEqual(withStatus(quota, {}, { used: { pods: "-1" } }).errors, [
      'status.used[pods]: Invalid value: "-1": must be greater than or equal to 0',
    ]);
  });

  it("warns when more may be requested than used", () => {
    const hard = { cpu: "3", "limits.cpu": "2" };
    const { object } = created(merged(quota, { spec: { hard, scopes: null } }));
    assert.deepEqual(strategyFor("v1", "ResourceQuota").warnings?.(object, undefined), [
      "ResourceQuota cpu (3) should be less than limits.cpu (2)",
    ]);
  });
});

describe("LimitRange", () => {
  itAccepts(range);

  itRefuses(range, [
    [
      "a type twice, and unknown ones",
      { spec: { limits: [{ type: "Pod" }, { type: "Pod" }, { type: "x" }] } },
      'spec.limits[1].type: Duplicate value: "Pod"',
      'spec.limits[2].type: Invalid value: "x": must be a standard limit type or fully qualified',
    ],
    [
      "defaults for pods",
      { spec: { limits: [{ type: "Pod", default: { cpu: "1" } }] } },
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
    ],
    [
      "a minimum above the maximum",
      { spec: { limits: [{ type: "Pod", min: { cpu: "2" }, max: { cpu: "1" } }] } },
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
    ],
    [
      "defaults outside the limits",
      {
        spec: {
          limits: [
            {
              type: "Container",
              max: { cpu: "2" },
              default: { cpu: "3" },
              defaultRequest: { cpu: "4" },
            },
          ],
        },
      },
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "4": default request value 4 is greater than max value 2',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "4": default request value 4 is greater than default limit value 3',
      'spec.limits[0].default[cpu]: Invalid value: "2": default value 3 is greater than max value 2',
    ],
    [
      "a ratio that cannot be reached",
      {
        spec: {
          limits: [
            {
              type: "Pod",
              min: { cpu: "1" },
              max: { cpu: "2" },
              maxLimitRequestRatio: { cpu: "3" },
            },
          ],
        },
      },
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000',
    ],
    [
      "claims without a limit",
      { spec: { limits: [{ type: "PersistentVolumeClaim" }] } },
      "spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided",
    ],
  ]);

  it("limits what has a maximum, and requests what has a limit or a minimum", () => {
    const [limits] = (created(range).object["spec"] as { limits: object[] }).limits;
    assert.deepEqual(limits, {
      type: "Container",
      max: { cpu: "2" },
      min: { cpu: "1", memory: "1" },
      default: { cpu: "2" },
      defaultRequest: { cpu: "2", memory: "1" },
    });
  });
});
