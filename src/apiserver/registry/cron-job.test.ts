import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itAccepts, itJudgesUpdates, itRefuses } from "./testing/refusals.ts";
import { podTemplate } from "./testing/workloads.ts";
import { created } from "./testing/writes.ts";

const good = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "x" },
  spec: {
    schedule: "*/5 * * * *",
    jobTemplate: { spec: { template: podTemplate({ restartPolicy: "Never" }) } },
  },
};

describe("CronJob", () => {
  itAccepts(good);

  itRefuses(good, [
    ["no schedule", { spec: { schedule: "" } }, "spec.schedule: Required value"],
    [
      "a schedule that cannot be read",
      { spec: { schedule: "* * * *" } },
      'spec.schedule: Invalid value: "* * * *": expected exactly 5 fields, found 4: [* * * *]',
    ],
    [
      "a time zone in the schedule",
      { spec: { schedule: "TZ=UTC * * * * *" } },
      'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
    [
      "a time zone that there is not",
      { spec: { timeZone: "Mars/Base" } },
      'spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base',
    ],
    [
      "the time zone of the machine",
      { spec: { timeZone: "local" } },
      'spec.timeZone: Invalid value: "local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    ],
    [
      "an empty time zone",
      { spec: { timeZone: "" } },
      'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string',
    ],
    [
      "an unknown policy and negative numbers",
      {
        spec: {
          concurrencyPolicy: "x",
          startingDeadlineSeconds: -1,
          successfulJobsHistoryLimit: -1,
          failedJobsHistoryLimit: -1,
        },
      },
      "spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0",
      'spec.concurrencyPolicy: Unsupported value: "x": supported values: "Allow", "Forbid", "Replace"',
      "spec.successfulJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0",
      "spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0",
    ],
    [
      "a selector that will be made",
      {
        spec: {
          jobTemplate: { spec: { selector: { matchLabels: { a: "b" } }, manualSelector: true } },
        },
      },
      'spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated',
      'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    ],
    [
      "a name that leaves no room for the Job's",
      { metadata: { name: "n".repeat(53) } },
      `metadata.name: Invalid value: "${"n".repeat(53)}": must be no more than 52 characters`,
    ],
  ]);

  itJudgesUpdates(good, [["change the schedule", { spec: { schedule: "@daily" } }]]);

  it("runs alongside itself, and keeps three successes and one failure", () => {
    const { jobTemplate: _, ...others } = created(good).object["spec"] as Record<string, unknown>;
    assert.deepEqual(others, {
      schedule: "*/5 * * * *",
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
  });
});
