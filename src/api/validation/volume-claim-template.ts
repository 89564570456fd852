// The claim that is made for an ephemeral volume.

import type { PersistentVolumeClaimTemplate } from "../types.ts";
import { isAbsent } from "./absent.ts";
import { type FieldError, forbidden } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { validateAnnotations, validateLabels } from "./labels.ts";
import { validateClaimSpec } from "./persistent-volume-claim.ts";

/** Metadata may have labels and annotations; everything else is given by the pod. */
export function validateClaimTemplate(
  template: PersistentVolumeClaimTemplate,
  path: FieldPath,
): FieldError[] {
  const { annotations, labels, ...rest } = template.metadata;
  const at = path.child("metadata");
  const others = Object.entries(rest).filter(([, value]) => !isAbsent(value));
  return [
    ...validateAnnotations(annotations, at.child("annotations")),
    ...validateLabels(labels, at.child("labels")),
    ...others.map(([name]) => forbidden(at.child(name), "cannot be set")),
    ...validateClaimSpec(template.spec, path.child("spec")),
  ];
}
