// What a Job may look like, and what an update may not change.

import type { JsonValue } from "../json.ts";
import type { Job, JobSpec, LabelSelector, PodTemplateSpec } from "../types.ts";
import { validateNonNegative } from "./counts.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { validatePodFailurePolicy, validateSuccessPolicy } from "./job-policies.ts";
import { validateJobTemplateUpdate } from "./job-template-update.ts";
import { labelMatcher } from "./label-selector.ts";
import { hasInvalidSelectorValue, validateLabelSelector } from "./labels.ts";
import { dns1123Label, dns1123Subdomain, nameIsDnsSubdomain } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { validatePodTemplateSpec } from "./pod-template.ts";
import { mismatch } from "./selected-template.ts";
import { immutableField, semanticEqual } from "./semantic-equal.ts";
import { shownFailurePolicy, shownSuccessPolicy } from "./shown-workload.ts";
import { exceedsBytes } from "./utf8-length.ts";

/** Labels by which a Job finds its pods; the first two are from before labels of the project had a prefix. */
export const controllerUidLabels: readonly string[] = [
  "controller-uid",
  "batch.kubernetes.io/controller-uid",
];
export const jobNameLabels: readonly string[] = ["job-name", "batch.kubernetes.io/job-name"];

const specPath = FieldPath.of("spec");
const maxParallelism = 100_000;
const maxFailedIndexes = 100_000;
// From here on the indexes that are kept in the status would grow too long.
const manyCompletions = 100_000;
const maxWithManyCompletions = 10_000;
const maxManagedByBytes = 63;
/** What is fixed, and how messages show it. */
const immutable: readonly (readonly [field: keyof JobSpec, shown: (spec: JobSpec) => JsonValue])[] =
  [
    ["completionMode", ({ completionMode }) => completionMode ?? null],
    ["podFailurePolicy", ({ podFailurePolicy }) => shownFailurePolicy(podFailurePolicy)],
    ["backoffLimitPerIndex", ({ backoffLimitPerIndex }) => backoffLimitPerIndex ?? null],
    ["managedBy", ({ managedBy }) => managedBy ?? null],
    ["successPolicy", ({ successPolicy }) => shownSuccessPolicy(successPolicy)],
  ];

export function validateJob(job: Job): FieldError[] {
  return [
    ...validateObjectMeta(job.metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...validateGeneratedSelector(job),
    ...validateJobSpec(job.spec, specPath),
    ...validateSelector(job.spec, false),
    ...validatePodNames(job),
    ...validateScheduling(job.spec, specPath),
  ];
}

export function validateJobUpdate(job: Job, old: Job): FieldError[] {
  const { spec } = job;
  return [
    ...validateObjectMetaUpdate(job.metadata, old.metadata),
    ...validateJobSpec(spec, specPath, old.spec),
    ...validateSelector(spec, hasInvalidSelectorValue(old.spec.selector)),
    ...validateCompletionsUpdate(spec, old.spec),
    ...immutableField(spec.selector, old.spec.selector, specPath.child("selector")),
    ...validateJobTemplateUpdate(job, old, specPath.child("template")),
    ...immutable
      .filter(([field]) => !semanticEqual(spec[field], old.spec[field]))
      .map(([field, shown]) => invalid(specPath.child(field), shown(spec), "field is immutable")),
    ...validatePodNames(job),
    ...validateScheduling(spec, specPath),
  ];
}

/** A Job that a CronJob will make: its selector is not there yet. */
export function validateJobTemplateSpec(
  spec: JobSpec,
  path: FieldPath,
  old?: JobSpec,
): FieldError[] {
  const errors = validateJobSpec(spec, path, old);
  if (spec.selector !== undefined) {
    const text = "`selector` will be auto-generated";
    errors.push(invalid(path.child("selector"), spec.selector, text));
  }
  if (spec.manualSelector === true) {
    errors.push(notSupported(path.child("manualSelector"), true, ["nil", "false"]));
  }
  return [...errors, ...validateScheduling(spec, path)];
}

function validateJobSpec(spec: JobSpec, path: FieldPath, old?: JobSpec): FieldError[] {
  return [
    ...validateNonNegative(
      spec,
      [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
      ],
      path,
    ),
    ...validateManagedBy(spec, path),
    ...validateCompletionMode(spec, path),
    ...validatePolicies(spec, path),
    ...validatePodTemplateSpec(spec.template, path.child("template"), old?.template),
    ...validateRestartPolicy(spec, path.child("template", "spec", "restartPolicy")),
  ];
}

function validateManagedBy(spec: JobSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    const text = "when maxFailedIndexes is specified";
    errors.push(required(path.child("backoffLimitPerIndex"), text));
  }
  const { managedBy } = spec;
  if (managedBy === undefined) return errors;
  const at = path.child("managedBy");
  errors.push(...validateDomainPrefixedPath(managedBy, at));
  if (exceedsBytes(managedBy, maxManagedByBytes)) errors.push(tooLong(at, maxManagedByBytes));
  return errors;
}

function validateDomainPrefixedPath(text: string, path: FieldPath): FieldError[] {
  if (text === "") return [required(path)];
  const [domain = "", ...rest] = text.split("/");
  if (domain === "" || rest.join("/") === "") {
    return [invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  return dns1123Subdomain(domain).map((why) => invalid(path, domain, why));
}

function validateCompletionMode(spec: JobSpec, path: FieldPath): FieldError[] {
  const { completionMode: mode = "NonIndexed", backoffLimitPerIndex, maxFailedIndexes } = spec;
  if (mode === "Indexed") return validateIndexed(spec, path);
  if (mode !== "NonIndexed") {
    return [notSupported(path.child("completionMode"), mode, ["NonIndexed", "Indexed"])];
  }
  return Object.entries({ backoffLimitPerIndex, maxFailedIndexes })
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => invalid(path.child(field), value, "requires indexed completion mode"));
}

function validateIndexed(spec: JobSpec, path: FieldPath): FieldError[] {
  const { completions, parallelism = 0, maxFailedIndexes: failed } = spec;
  const errors: FieldError[] = [];
  if (completions === undefined) {
    errors.push(required(path.child("completions"), "when completion mode is Indexed"));
  }
  if (parallelism > maxParallelism) {
    const text = `must be less than or equal to ${maxParallelism} when completion mode is Indexed`;
    errors.push(invalid(path.child("parallelism"), parallelism, text));
  }
  if (completions !== undefined && failed !== undefined && failed > completions) {
    const text = "must be less than or equal to completions";
    errors.push(invalid(path.child("maxFailedIndexes"), failed, text));
  }
  if (failed !== undefined && failed > maxFailedIndexes) {
    const text = `must be less than or equal to ${maxFailedIndexes}`;
    errors.push(invalid(path.child("maxFailedIndexes"), failed, text));
  }
  return [...errors, ...validateManyCompletions(spec, path)];
}

function validateManyCompletions(spec: JobSpec, path: FieldPath): FieldError[] {
  const { completions = 0, parallelism = 0, maxFailedIndexes: failed } = spec;
  if (completions <= manyCompletions || spec.backoffLimitPerIndex === undefined) return [];
  const errors: FieldError[] = [];
  const text = `must be less than or equal to ${maxWithManyCompletions} when completions are above ${manyCompletions} and used with backoff limit per index`;
  if (failed === undefined) {
    const why = `must be specified when completions is above ${manyCompletions}`;
    errors.push(required(path.child("maxFailedIndexes"), why));
  }
  if (parallelism > maxWithManyCompletions) {
    errors.push(invalid(path.child("parallelism"), parallelism, text));
  }
  if (failed !== undefined && failed > maxWithManyCompletions) {
    errors.push(invalid(path.child("maxFailedIndexes"), failed, text));
  }
  return errors;
}

function validatePolicies(spec: JobSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.podFailurePolicy !== undefined) {
    errors.push(...validatePodFailurePolicy(spec, path.child("podFailurePolicy")));
  }
  if (spec.successPolicy !== undefined) {
    const at = path.child("successPolicy");
    errors.push(
      ...(spec.completionMode === "Indexed"
        ? validateSuccessPolicy(spec, at)
        : [
            invalid(at, shownSuccessPolicy(spec.successPolicy), "requires indexed completion mode"),
          ]),
    );
  }
  const { podReplacementPolicy: policy } = spec;
  const policies =
    spec.podFailurePolicy === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"];
  if (policy !== undefined && !policies.includes(policy)) {
    errors.push(notSupported(path.child("podReplacementPolicy"), policy, policies));
  }
  return errors;
}

function validateRestartPolicy(spec: JobSpec, path: FieldPath): FieldError[] {
  const { restartPolicy: policy = "" } = spec.template.spec ?? {};
  if (policy === "" || policy === "Always") {
    return [required(path, 'valid values: "OnFailure", "Never"')];
  }
  if (policy !== "OnFailure" && policy !== "Never") {
    return [notSupported(path, policy, ["OnFailure", "Never"])];
  }
  if (spec.podFailurePolicy === undefined || policy === "Never") return [];
  return [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

function validateSelector(spec: JobSpec, allowInvalidValues: boolean): FieldError[] {
  const { selector, template } = spec;
  const path = specPath.child("selector");
  const errors =
    selector === undefined
      ? [required(path)]
      : validateLabelSelector(selector, path, { allowInvalidValues });
  const labels = template.metadata?.labels;
  if (labelMatcher(selector)?.matches(labels) === false) {
    errors.push(invalid(specPath.child("template", "metadata", "labels"), labels, mismatch));
  }
  return errors;
}

/** Labels that the Job was given on creation have to be there, unless somebody said otherwise on that day. */
function validateGeneratedSelector(job: Job): FieldError[] {
  const { spec, metadata } = job;
  const { name = "", uid = "" } = metadata;
  if (spec.manualSelector === true || spec.selector === undefined) return [];
  const errors = uid === "" ? [required(FieldPath.of("metadata", "uid"))] : [];
  const expected = new Map<string, string>();
  for (const i of [0, 1]) {
    expected.set(controllerUidLabels[i] ?? "", uid);
    expected.set(jobNameLabels[i] ?? "", name);
  }
  for (const [key, value] of expected) errors.push(...validateHasLabel(spec.template, key, value));
  if (!selects(spec.selector, Object.fromEntries(expected))) {
    const text = "`selector` not auto-generated";
    errors.push(invalid(specPath.child("selector"), spec.selector, text));
  }
  return errors;
}

function validateHasLabel(template: PodTemplateSpec, key: string, value: string): FieldError[] {
  const labels = template.metadata?.labels;
  const path = specPath.child("template", "metadata", "labels").key(key);
  if (labels?.[key] === undefined) return [required(path, `must be '${value}'`)];
  return labels[key] === value ? [] : [invalid(path, labels, `must be '${value}'`)];
}

function selects(selector: LabelSelector, labels: Record<string, string>): boolean {
  return labelMatcher(selector)?.matches(labels) ?? true;
}

function validatePodNames({ metadata, spec }: Job): FieldError[] {
  const { completions = 0, completionMode } = spec;
  if (completionMode !== "Indexed" || completions <= 0) return [];
  const longest = `${metadata.name ?? ""}-${completions - 1}`;
  if (dns1123Label(longest).length === 0) return [];
  const text = `will not able to create pod with invalid DNS label: ${longest}`;
  return [invalid(FieldPath.of("metadata", "name"), metadata.name, text)];
}

function validateCompletionsUpdate(spec: JobSpec, old: JobSpec): FieldError[] {
  const path = specPath.child("completions");
  if (spec.completionMode !== "Indexed") {
    return immutableField(spec.completions, old.completions, path);
  }
  const { completions, parallelism } = spec;
  if (semanticEqual(completions, old.completions)) return [];
  if (completions === undefined || completions === parallelism) return [];
  return [invalid(path, completions, "can only be modified in tandem with spec.parallelism")];
}

/** Workload-aware scheduling is not offered. */
function validateScheduling(spec: JobSpec, path: FieldPath): FieldError[] {
  return spec.scheduling === undefined ? [] : [forbidden(path.child("scheduling"), "")];
}
