// Jobs. They are stored; nothing runs them. Their selector is made when they are created, from their uid.

import { setJobDefaults } from "../../api/defaults/job.ts";
import type { Job } from "../../api/types.ts";
import {
  controllerUidLabels,
  jobNameLabels,
  validateJob,
  validateJobUpdate,
} from "../../api/validation/job.ts";
import { validateJobStatusUpdate } from "../../api/validation/job-status.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";
import { podNameWarnings, templateWarnings } from "./template-warnings.ts";

const selectedLabel = "batch.kubernetes.io/controller-uid";

export const jobStrategy: Strategy = kindStrategy<Job>("batch/v1", "Job", {
  countsGenerations: true,
  defaultPropagation: "Orphan",
  fieldLabels: { "status.successful": ({ status }) => String(status.succeeded ?? 0) },
  setDefaults: setJobDefaults,
  prepareForCreate(job) {
    if (job.spec.manualSelector !== true) generateSelector(job);
  },
  validate: validateJob,
  validateUpdate: validateJobUpdate,
  validateStatusUpdate: validateJobStatusUpdate,
  warnings: (object, old) => [...podNameWarnings(object, old), ...templateWarnings(object, old)],
});

/** Labels that are there already stay; validation refuses those that are wrong. */
function generateSelector({ metadata, spec }: Job): void {
  const { name = "", uid = "" } = metadata;
  spec.template.metadata.labels = {
    ...Object.fromEntries(jobNameLabels.map((label) => [label, name])),
    ...Object.fromEntries(controllerUidLabels.map((label) => [label, uid])),
    ...spec.template.metadata.labels,
  };
  spec.selector = {
    ...spec.selector,
    matchLabels: { [selectedLabel]: uid, ...spec.selector?.matchLabels },
  };
}
