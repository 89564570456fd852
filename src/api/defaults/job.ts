// What a Job is when nothing else is said: one pod that has to succeed once.

import type { Job, JobSpec } from "../types.ts";
import { setPodSpecDefaults } from "./pod-spec.ts";

const noLimit = 2 ** 31 - 1;

/** Changes the object. */
export function setJobDefaults({ metadata, spec }: Job): void {
  setJobTemplateDefaults(spec);
  setCounts(spec);
  const { labels } = spec.template.metadata;
  if (labels !== undefined && Object.keys(metadata.labels ?? {}).length === 0) {
    metadata.labels = { ...labels };
  }
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??=
    spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
  spec.manualSelector ??= false;
}

function setCounts(spec: JobSpec): void {
  if (spec.parallelism === undefined) spec.completions ??= 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : noLimit;
}

/** Those that also the template of a CronJob gets. Changes the spec. */
export function setJobTemplateDefaults(spec: JobSpec): void {
  setPodSpecDefaults(spec.template.spec);
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) pattern.status ||= "True";
  }
}
