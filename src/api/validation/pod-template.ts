// Templates of pods, as workloads hold them.

import type { PodTemplateSpec } from "../types.ts";
import { list } from "./absent.ts";
import { type FieldError, forbidden } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { validateAnnotations, validateLabels } from "./labels.ts";
import { validatePodAnnotations, validateProfilesMatch } from "./pod-annotations.ts";
import { leniencyFor } from "./pod-leniency.ts";
import { validatePodSpec } from "./pod-spec.ts";

/** `old` is the template before an update: what was stored under older rules may stay. */
export function validatePodTemplateSpec(
  template: PodTemplateSpec,
  path: FieldPath,
  old?: PodTemplateSpec,
): FieldError[] {
  const { metadata, spec } = template;
  const leniency = leniencyFor(old?.spec, old?.metadata.annotations);
  const annotations = metadata.annotations;
  const errors = [
    ...validateLabels(metadata.labels, path.child("labels")),
    ...validateAnnotations(annotations, path.child("annotations")),
    ...validatePodAnnotations(annotations, spec, leniency, path.child("annotations")),
    ...validatePodSpec(spec, path.child("spec"), { leniency }),
    ...validateProfilesMatch(metadata, spec, path.child("spec")),
  ];
  if (list(spec.ephemeralContainers).length > 0) {
    const detail = "ephemeral containers not allowed in pod template";
    errors.push(forbidden(path.child("spec", "ephemeralContainers"), detail));
  }
  return errors;
}
