import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../api/json.ts";
import { itAccepts, itJudgesUpdates, itRefuses } from "./testing/refusals.ts";
import { podTemplate } from "./testing/workloads.ts";
import { created, merged, strategyFor, withStatus } from "./testing/writes.ts";

const labels = {
  "batch.kubernetes.io/controller-uid": "uid-1",
  "batch.kubernetes.io/job-name": "x",
  "controller-uid": "uid-1",
  "job-name": "x",
};
const good = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "x" },
  spec: { template: podTemplate({ restartPolicy: "Never" }) },
};
const indexed = merged(good, { spec: { completionMode: "Indexed", completions: 5 } });

describe("Job", () => {
  itAccepts(good);

  itRefuses(good, [
    [
      "pods that are always restarted",
      { spec: { template: { spec: { restartPolicy: "Always" } } } },
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
    [
      "negative numbers",
      { spec: { parallelism: -1, completions: -1, backoffLimit: -1, ttlSecondsAfterFinished: -1 } },
      "spec.parallelism: Invalid value: -1: must be greater than or equal to 0",
      "spec.completions: Invalid value: -1: must be greater than or equal to 0",
      "spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0",
      "spec.ttlSecondsAfterFinished: Invalid value: -1: must be greater than or equal to 0",
    ],
    [
      "an unknown completion mode",
      { spec: { completionMode: "x" } },
      'spec.completionMode: Unsupported value: "x": supported values: "NonIndexed", "Indexed"',
    ],
    [
      "limits per index without indexes",
      { spec: { backoffLimitPerIndex: 1, maxFailedIndexes: 1 } },
      "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode",
      "spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode",
    ],
    [
      "indexes without a number of them",
      { spec: { completionMode: "Indexed", parallelism: 2 } },
      "spec.completions: Required value: when completion mode is Indexed",
    ],
    [
      "a manager without a domain",
      { spec: { managedBy: "me" } },
      'spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")',
    ],
    [
      "an unknown replacement policy",
      { spec: { podReplacementPolicy: "x" } },
      'spec.podReplacementPolicy: Unsupported value: "x": supported values: "Failed", "TerminatingOrFailed"',
    ],
    [
      "a rule about failures that says nothing",
      { spec: { podFailurePolicy: { rules: [{ action: "FailIndex" }] } } },
      'spec.podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
      "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
    ],
    [
      "exit codes that make no sense",
      {
        spec: {
          podFailurePolicy: {
            rules: [{ onExitCodes: { containerName: "z", operator: "In", values: [3, 0, 3] } }],
          },
        },
      },
      'spec.podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
      'spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "z": must be one of the container or initContainer names in the pod template',
      "spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator",
      "spec.podFailurePolicy.rules[0].onExitCodes.values[2]: Duplicate value: 3",
      "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [3,0,3]: must be ordered",
    ],
    [
      "labels that the server gives, with other values",
      { spec: { template: { metadata: { labels: { "job-name": "y" } } } } },
      `spec.template.metadata.labels[job-name]: Invalid value: ${JSON.stringify({ app: "x", ...labels, "job-name": "y" })}: must be 'x'`,
    ],
    [
      "a selector of somebody else's pods",
      { spec: { selector: { matchLabels: { app: "x" } } } },
      'spec.selector: Invalid value: {"matchLabels":{"app":"x","batch.kubernetes.io/controller-uid":"uid-1"}}: `selector` not auto-generated',
    ],
    [
      "scheduling, which is not offered",
      { spec: { scheduling: {} } },
      "spec.scheduling: Forbidden",
    ],
  ]);

  itRefuses(indexed, [
    [
      "names of pods that are too long",
      { metadata: { name: "n".repeat(62) } },
      `metadata.name: Invalid value: "${"n".repeat(62)}": will not able to create pod with invalid DNS label: ${"n".repeat(62)}-4`,
    ],
    [
      "more failures than indexes",
      { spec: { backoffLimitPerIndex: 1, maxFailedIndexes: 6 } },
      "spec.maxFailedIndexes: Invalid value: 6: must be less than or equal to completions",
    ],
    [
      "a success that cannot be",
      {
        spec: {
          successPolicy: { rules: [{ succeededIndexes: "0-2,2", succeededCount: 9 }, {}] },
        },
      },
      'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "0-2,2": error parsing succeededIndexes: non-increasing order, previous: 2, current: 2',
      "spec.successPolicy.rules[0].succeededCount: Invalid value: 9: must be less than or equal to 5 (the number of specified completions)",
      "spec.successPolicy.rules[0].succeededCount: Invalid value: 9: must be less than or equal to 0 (the number of indexes in the specified succeededIndexes field)",
      "spec.successPolicy.rules[1]: Required value: at least one of succeededCount or succeededIndexes must be specified",
    ],
  ]);

  itJudgesUpdates(good, [
    ["change the parallelism", { spec: withGenerated({ parallelism: 3, completions: 1 }) }],
    [
      "changes completions and mode",
      { spec: withGenerated({ completions: 7, managedBy: "a.b/c" }) },
      "spec.completions: Invalid value: 7: field is immutable",
      'spec.managedBy: Invalid value: "a.b/c": field is immutable',
    ],
  ]);

  it("refuses a change of the template while pods may run", () => {
    const { errors } = judged({}, { template: podTemplate({ restartPolicy: "OnFailure" }) });
    assert.equal(errors.length, 1);
    assert.match(
      errors[0] ?? "",
      /^spec\.template: Invalid value: \{"labels":\{"app":"x",.*\},"Spec":\{"Volumes":null,.*"RestartPolicy":"OnFailure",.*\}\}: field is immutable$/,
    );
  });

  it("lets the resources and the place of pods change while the Job is suspended", () => {
    const containers = [{ name: "c", image: "i", resources: { limits: { cpu: "1" } } }];
    const template = podTemplate({
      restartPolicy: "Never",
      containers,
      nodeSelector: { a: "b" },
      tolerations: [{ operator: "Exists" }],
    });
    assert.deepEqual(judged({ suspend: true }, { suspend: true, template }).errors, []);
    const image = podTemplate({ restartPolicy: "Never", containers: [{ name: "c", image: "j" }] });
    const { errors } = judged({ suspend: true }, { suspend: true, template: image });
    assert.match(
      errors.join(),
      /^spec\.template\.spec: Invalid value: \{"Volumes":null,.*\}: field is immutable$/,
    );
  });

  it("shows policies that cannot be changed in the API's form", () => {
    const rule = { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] };
    const { errors } = judged({}, { podFailurePolicy: { rules: [rule] } });
    assert.deepEqual(errors, [
      'spec.podFailurePolicy: Invalid value: {"Rules":[{"Action":"Ignore","OnExitCodes":null,"OnPodConditions":[{"Type":"DisruptionTarget","Status":"True"}]}]}: field is immutable',
    ]);
  });

  it("lets completions of an Indexed Job change together with its parallelism", () => {
    const before = { completionMode: "Indexed", completions: 5, parallelism: 5 };
    assert.deepEqual(judged(before, { ...before, completions: 6, parallelism: 6 }).errors, []);
    assert.deepEqual(judged(before, { ...before, completions: 6 }).errors, [
      "spec.completions: Invalid value: 6: can only be modified in tandem with spec.parallelism",
    ]);
  });

  it("is one pod that has to succeed once, and selects it by the Job's uid", () => {
    const { metadata, spec, status } = created(good).object;
    const { template, ...others } = spec as { template: { metadata: object } };
    assert.deepEqual(others, {
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "uid-1" } },
      manualSelector: false,
      completionMode: "NonIndexed",
      suspend: false,
      podReplacementPolicy: "TerminatingOrFailed",
    });
    assert.deepEqual(template.metadata, { labels: { app: "x", ...labels } });
    assert.deepEqual(Object.keys(spec as object).slice(0, 3), [
      "parallelism",
      "completions",
      "backoffLimit",
    ]);
    assert.deepEqual(metadata.labels, { app: "x" });
    assert.deepEqual(status, {});
  });

  it("keeps a selector that was made by hand", () => {
    const manual = { manualSelector: true, selector: { matchLabels: { app: "x" } } };
    const { object, errors } = created(merged(good, { spec: manual }));
    assert.deepEqual(errors, []);
    assert.deepEqual((object["spec"] as JsonObject)["selector"], manual.selector);
  });

  it("can be selected by the number of its successes, and leaves its pods when it goes", () => {
    const strategy = strategyFor("batch/v1", "Job");
    const { object } = withStatus(good, {}, { succeeded: 2 });
    assert.equal(strategy.fieldLabels?.["status.successful"]?.(object), "2");
    assert.equal(strategy.defaultPropagation, "Orphan");
  });

  for (const [what, before, after, ...errors] of statusCases()) {
    it(`refuses a status ${what}`, () => {
      assert.deepEqual(withStatus(good, before, after).errors, errors);
    });
  }
});

/** What the server put into the good Job, so that an update does not take it away. */
function withGenerated(spec: JsonObject): JsonObject {
  return {
    ...spec,
    selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "uid-1" } },
    template: { metadata: { labels: { app: "x", ...labels } } },
  };
}

/** An update of a Job that was made with `before`, to one with `after`. */
function judged(before: JsonObject, after: JsonObject): { readonly errors: readonly string[] } {
  const strategy = strategyFor("batch/v1", "Job");
  const old = created(merged(good, { spec: before })).object;
  const { object } = created(merged(good, { spec: after }));
  return {
    errors: strategy
      .validateUpdate(object, old)
      .map(({ field, message }) => `${field}: ${message}`),
  };
}

type StatusCase = readonly [string, JsonObject, JsonObject, ...string[]];

function statusCases(): readonly StatusCase[] {
  const condition = (...types: readonly string[]): JsonObject[] =>
    types.map((type) => ({ type, status: "True" }));
  const done = {
    startTime: "2026-01-01T00:00:00Z",
    completionTime: "2026-01-01T00:00:01Z",
    conditions: condition("SuccessCriteriaMet", "Complete"),
  };
  return [
    [
      "with negative counters",
      {},
      { active: -1, failed: -1 },
      "status.active: Invalid value: -1: must be greater than or equal to 0",
      "status.failed: Invalid value: -1: must be greater than or equal to 0",
      "status.failed: Invalid value: -1: cannot decrease the failed counter",
    ],
    [
      "that is complete and failed",
      {},
      {
        ...done,
        conditions: condition("SuccessCriteriaMet", "Complete", "Failed", "FailureTarget"),
      },
      "status.conditions: Invalid value: cannot set Complete=True and Failed=true conditions",
      "status.conditions: Invalid value: cannot set Complete=True and FailureTarget=true conditions",
      "status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and Failed=true conditions",
      "status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions",
    ],
    [
      "that ends before it starts",
      {},
      { ...done, completionTime: "2025-01-01T00:00:00Z" },
      'status.completionTime: Invalid value: "2025-01-01T00:00:00Z": must be equal to or after `startTime`',
    ],
    [
      "that is complete and still runs",
      {},
      { ...done, active: 1, terminating: 1, completionTime: null },
      "status.completionTime: Required value: completionTime is required for Complete jobs",
      "status.active: Invalid value: 1: active>0 is invalid for finished job",
      "status.terminating: Invalid value: 1: terminating>0 is invalid for finished job",
    ],
    [
      "that takes back that it is complete",
      done,
      { startTime: done.startTime },
      "status.conditions: Invalid value: cannot disable the terminal Complete=True condition",
      "status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition",
    ],
    [
      "with more ready pods than there are, and indexes without indexing",
      {},
      { ready: 1, completedIndexes: "0" },
      'status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode',
      "status.ready: Invalid value: 1: cannot set more ready pods than active",
    ],
    [
      "with another start",
      { startTime: "2026-01-01T00:00:00Z" },
      { startTime: "2026-01-01T00:00:09Z" },
      'status.startTime: Invalid value: "2026-01-01T00:00:09Z": field is immutable for unsuspended job once set',
    ],
    [
      "that counts a pod twice",
      {},
      { uncountedTerminatedPods: { succeeded: ["a", ""], failed: ["a"] } },
      'status.uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
      'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
    ],
  ];
}
