// PodTemplates.

import { setPodSpecDefaults } from "../../api/defaults/pod-spec.ts";
import type { PodTemplate } from "../../api/types.ts";
import { FieldPath } from "../../api/validation/field-path.ts";
import {
  validatePodTemplate,
  validatePodTemplateUpdate,
} from "../../api/validation/pod-template-object.ts";
import { podWarnings } from "../../api/validation/pod-warnings.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";

export const podTemplateStrategy: Strategy = kindStrategy<PodTemplate>("v1", "PodTemplate", {
  returnsDeleted: true,
  countsGenerations: true,
  setDefaults: ({ template }) => setPodSpecDefaults(template.spec),
  validate: validatePodTemplate,
  validateUpdate: validatePodTemplateUpdate,
  warnings({ metadata, template }, old) {
    if (old !== undefined && old.metadata.generation === metadata.generation) return [];
    return podWarnings(template, FieldPath.of("template"));
  },
});
