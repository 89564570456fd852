// What controllers of pods have in common: a selector, and a template whose pods it selects.

import type { LabelSelector, PodTemplateSpec } from "../types.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { isEmptySelector, type LabelMatcher, labelMatcher } from "./label-selector.ts";
import { validateLabelSelector } from "./labels.ts";
import { validatePodTemplateSpec } from "./pod-template.ts";

export const mismatch = "`selector` does not match template `labels`";

/** A selector that has to be there and to select something. `of` is the kind as the API's text has it. */
export function validateRequiredSelector(
  selector: LabelSelector | null | undefined,
  of: string,
  path: FieldPath,
): FieldError[] {
  if (selector === undefined || selector === null) return [required(path)];
  const errors = validateLabelSelector(selector, path);
  if (isEmptySelector(selector)) {
    errors.push(invalid(path, selector, `empty selector is invalid for ${of}`));
  }
  return errors;
}

export interface SelectedTemplate {
  readonly selector: LabelSelector | null | undefined;
  readonly template: PodTemplateSpec;
  /** Of what has both. */
  readonly path: FieldPath;
  /** The template before an update. */
  readonly old?: PodTemplateSpec | undefined;
}

/** The selector in use, and the template. `of` is the kind as the API's text has it. */
export function validateSelectedTemplate(
  { selector, template, path, old }: SelectedTemplate,
  of: string,
): FieldError[] {
  const matcher = labelMatcher(selector);
  if (matcher === undefined) {
    return [invalid(path.child("selector"), selector, "invalid label selector")];
  }
  const at = path.child("template");
  return [
    ...validateMatch(matcher, template, at),
    ...validatePodTemplateSpec(template, at, old),
    ...validateRunsForever(template, of, at),
  ];
}

export function validateMatch(
  matcher: LabelMatcher,
  template: PodTemplateSpec,
  path: FieldPath,
): FieldError[] {
  const labels = template.metadata?.labels;
  if (matcher.isEmpty || matcher.matches(labels)) return [];
  return [invalid(path.child("metadata", "labels"), labels, mismatch)];
}

/** Pods of controllers other than Job are restarted whatever happens, and have no deadline. */
export function validateRunsForever(
  template: PodTemplateSpec,
  of: string,
  path: FieldPath,
): FieldError[] {
  const { restartPolicy = "", activeDeadlineSeconds } = template.spec ?? {};
  const errors: FieldError[] = [];
  if (restartPolicy !== "Always") {
    errors.push(notSupported(path.child("spec", "restartPolicy"), restartPolicy, ["Always"]));
  }
  if (activeDeadlineSeconds !== undefined) {
    const text = `activeDeadlineSeconds in ${of} is not Supported`;
    errors.push(forbidden(path.child("spec", "activeDeadlineSeconds"), text));
  }
  return errors;
}
