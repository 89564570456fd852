// What a CronJob may look like.

import type { CronJob, CronJobSpec } from "../types.ts";
import { validateNonNegative } from "./counts.ts";
import { cronScheduleError, timeZoneError } from "./cron-schedule.ts";
import { type FieldError, invalid, notSupported, required } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { validateJobTemplateSpec } from "./job.ts";
import { nameIsDnsSubdomain } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { exceedsBytes } from "./utf8-length.ts";

const path = FieldPath.of("spec");
const policies = ["Allow", "Forbid", "Replace"];
// A Job's name has 63 characters; the controller appends 11.
const maxNameBytes = 52;

export function validateCronJob(cronJob: CronJob): FieldError[] {
  const { name = "" } = cronJob.metadata;
  const errors = [
    ...validateObjectMeta(cronJob.metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...validateSpec(cronJob.spec, undefined),
  ];
  if (exceedsBytes(name, maxNameBytes)) {
    const text = `must be no more than ${maxNameBytes} characters`;
    errors.push(invalid(FieldPath.of("metadata", "name"), name, text));
  }
  return [...errors, ...validateHasSchedule(cronJob.spec)];
}

export function validateCronJobUpdate(cronJob: CronJob, old: CronJob): FieldError[] {
  return [
    ...validateObjectMetaUpdate(cronJob.metadata, old.metadata),
    ...validateSpec(cronJob.spec, old.spec),
    ...validateHasSchedule(cronJob.spec),
  ];
}

function validateHasSchedule({ schedule }: CronJobSpec): FieldError[] {
  return schedule === "" ? [required(path.child("schedule"))] : [];
}

function validateSpec(spec: CronJobSpec, old: CronJobSpec | undefined): FieldError[] {
  return [
    ...validateSchedule(spec, old?.schedule?.includes("TZ") === true),
    ...validateNonNegative(spec, ["startingDeadlineSeconds"], path),
    ...(old !== undefined && old.timeZone === spec.timeZone ? [] : validateTimeZone(spec)),
    ...validateConcurrencyPolicy(spec.concurrencyPolicy ?? "", path.child("concurrencyPolicy")),
    ...validateJobTemplateSpec(
      spec.jobTemplate.spec,
      path.child("jobTemplate", "spec"),
      old?.jobTemplate.spec,
    ),
    ...validateNonNegative(spec, ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"], path),
  ];
}

function validateSchedule(
  { schedule, timeZone }: CronJobSpec,
  allowTimeZone: boolean,
): FieldError[] {
  if (schedule === "") return [];
  const at = path.child("schedule");
  const why = cronScheduleError(schedule);
  const errors = why === undefined ? [] : [invalid(at, schedule, why)];
  if (!schedule.includes("TZ")) return errors;
  if (!allowTimeZone) {
    const text = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
    errors.push(invalid(at, schedule, text));
  } else if (timeZone !== undefined) {
    const text = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
    errors.push(invalid(at, schedule, text));
  }
  return errors;
}

function validateTimeZone({ timeZone }: CronJobSpec): FieldError[] {
  const at = path.child("timeZone");
  if (timeZone === undefined) return [];
  if (timeZone === "") return [invalid(at, "", "timeZone must be nil or non-empty string")];
  const wellFormed = timeZone
    .split("/")
    .every((part) => /^(?!-)(?!\.{1,2}$)[A-Za-z.\-_0-9+]{1,14}$/.test(part));
  if (!wellFormed) return [invalid(at, timeZone, `unknown time zone ${timeZone}`)];
  if (timeZone.toLowerCase() === "local") {
    const text =
      "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    return [invalid(at, timeZone, text)];
  }
  const why = timeZoneError(timeZone);
  return why === undefined ? [] : [invalid(at, timeZone, why)];
}

function validateConcurrencyPolicy(policy: string, at: FieldPath): FieldError[] {
  if (policy === "") return [required(at)];
  return policies.includes(policy) ? [] : [notSupported(at, policy, policies)];
}
