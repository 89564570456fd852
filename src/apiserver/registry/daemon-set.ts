// DaemonSets. How often the template changed is kept in an annotation, which clients cannot set.

import { setDaemonSetDefaults } from "../../api/defaults/daemon-set.ts";
import type { DaemonSet } from "../../api/types.ts";
import {
  templateGenerationAnnotation,
  templateGenerationOf,
  validateDaemonSet,
  validateDaemonSetStatusUpdate,
  validateDaemonSetUpdate,
} from "../../api/validation/daemon-set.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";
import { templateWarnings } from "./template-warnings.ts";

export const daemonSetStrategy: Strategy = kindStrategy<DaemonSet>("apps/v1", "DaemonSet", {
  countsGenerations: true,
  setDefaults(daemonSet) {
    setDaemonSetDefaults(daemonSet);
    // Whoever makes it owns the annotation.
    setTemplateGeneration(daemonSet, templateGenerationOf(daemonSet));
  },
  prepareForCreate(daemonSet) {
    setTemplateGeneration(daemonSet, Math.max(1, templateGenerationOf(daemonSet)));
  },
  prepareForUpdate(daemonSet, old) {
    const isSame = semanticEqual(daemonSet.spec.template, old.spec.template);
    setTemplateGeneration(daemonSet, templateGenerationOf(old) + (isSame ? 0 : 1));
  },
  validate: validateDaemonSet,
  validateUpdate: validateDaemonSetUpdate,
  validateStatusUpdate: validateDaemonSetStatusUpdate,
  warnings: templateWarnings,
});

function setTemplateGeneration({ metadata }: DaemonSet, generation: number): void {
  metadata.annotations = {
    ...metadata.annotations,
    [templateGenerationAnnotation]: String(generation),
  };
}
