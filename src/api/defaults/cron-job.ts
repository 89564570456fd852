// What a CronJob is when nothing else is said.

import type { CronJob } from "../types.ts";
import { setJobTemplateDefaults } from "./job.ts";

/** Changes the object. */
export function setCronJobDefaults({ spec }: CronJob): void {
  setJobTemplateDefaults(spec.jobTemplate.spec);
  spec.concurrencyPolicy ||= "Allow";
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
}
