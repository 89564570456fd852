// CronJobs. They are stored; nothing runs them.

import { setCronJobDefaults } from "../../api/defaults/cron-job.ts";
import type { CronJob } from "../../api/types.ts";
import { validateCronJob, validateCronJobUpdate } from "../../api/validation/cron-job.ts";
import { FieldPath } from "../../api/validation/field-path.ts";
import { validateObjectMetaUpdate } from "../../api/validation/object-meta.ts";
import { podWarnings } from "../../api/validation/pod-warnings.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";
import { podNameWarnings } from "./template-warnings.ts";

const templatePath = FieldPath.of("spec", "jobTemplate", "spec", "template");
const zoneWarning =
  "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";

export const cronJobStrategy: Strategy = kindStrategy<CronJob>("batch/v1", "CronJob", {
  countsGenerations: true,
  setDefaults: setCronJobDefaults,
  validate: validateCronJob,
  validateUpdate: validateCronJobUpdate,
  validateStatusUpdate: ({ metadata }, old) => validateObjectMetaUpdate(metadata, old.metadata),
  warnings({ metadata, spec }, old) {
    const isSame = old !== undefined && old.metadata.generation === metadata.generation;
    const warnings = podNameWarnings({ metadata, spec: {} }, old && { ...old, spec: {} });
    if (!isSame) warnings.push(...podWarnings(spec.jobTemplate.spec.template, templatePath));
    if (old !== undefined && spec.schedule.includes("TZ")) warnings.push(zoneWarning);
    return warnings;
  },
});
