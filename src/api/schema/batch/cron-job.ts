// CronJob: jobs by the calendar.

import { objectReference } from "../core/references.ts";
import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  bool,
  field,
  int32,
  int64,
  listOf,
  oneOf,
  pointer,
  ref,
  required,
  string,
  type TypeSchema,
  time,
  type,
} from "../schema.ts";
import { jobSpec } from "./job.ts";

const jobTemplateSpec: TypeSchema = type(
  "io.k8s.api.batch.v1.JobTemplateSpec",
  "What jobs are made from",
  {
    metadata,
    spec: field(2, ref(jobSpec), "Of the jobs", always),
  },
);

const cronJobSpec: TypeSchema = type(
  "io.k8s.api.batch.v1.CronJobSpec",
  "When to make jobs, and which",
  {
    schedule: field(1, string, "In cron's five fields", required),
    timeZone: field(8, string, "Of the schedule; the controller's if absent", pointer),
    startingDeadlineSeconds: field(2, int64, "How late a job may still start", pointer),
    concurrencyPolicy: field(
      3,
      oneOf("Allow", "Forbid", "Replace"),
      "What if the job before still runs",
    ),
    suspend: field(4, bool, "Make no jobs for now", pointer),
    jobTemplate: field(5, ref(jobTemplateSpec), "What jobs are made from", required),
    successfulJobsHistoryLimit: field(6, int32, "How many jobs that succeeded are kept", pointer),
    failedJobsHistoryLimit: field(7, int32, "How many jobs that failed are kept", pointer),
  },
);

const cronJobStatus: TypeSchema = type("io.k8s.api.batch.v1.CronJobStatus", "What a cron job did", {
  active: field(1, listOf(ref(objectReference)), "Jobs that run"),
  lastScheduleTime: field(4, time, "When a job was last made", pointer),
  lastSuccessfulTime: field(5, time, "When a job last succeeded", pointer),
});

export const cronJob: TypeSchema = type(
  "io.k8s.api.batch.v1.CronJob",
  "Makes jobs by the calendar",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(cronJobSpec), "What should be", required),
    status: field(3, ref(cronJobStatus), "What is", always),
  },
);
