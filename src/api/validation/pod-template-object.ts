// A PodTemplate is a template with a name.

import type { PodTemplate } from "../types.ts";
import type { FieldError } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { nameIsDnsSubdomain } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { validatePodTemplateSpec } from "./pod-template.ts";

const path = FieldPath.of("template");

export function validatePodTemplate({ metadata, template }: PodTemplate): FieldError[] {
  return [
    ...validateObjectMeta(metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...validatePodTemplateSpec(template, path),
  ];
}

export function validatePodTemplateUpdate(
  { metadata, template }: PodTemplate,
  old: PodTemplate,
): FieldError[] {
  return [
    ...validateObjectMetaUpdate(metadata, old.metadata),
    ...validatePodTemplateSpec(template, path, old.template),
  ];
}
