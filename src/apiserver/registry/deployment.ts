// Deployments. A change of annotations counts as a generation too, because they are copied to the ReplicaSets.

import { resetFields } from "../../api/apply/ignored-fields.ts";
import { setDeploymentDefaults } from "../../api/defaults/deployment.ts";
import type { Deployment } from "../../api/types.ts";
import {
  validateDeployment,
  validateDeploymentStatusUpdate,
  validateDeploymentUpdate,
} from "../../api/validation/deployment.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";
import { podNameWarnings, templateWarnings } from "./template-warnings.ts";

export const deploymentStrategy: Strategy = kindStrategy<Deployment>("apps/v1", "Deployment", {
  countsGenerations: true,
  ignoredByStatus: resetFields("spec", "metadata.labels"),
  setDefaults: setDeploymentDefaults,
  prepareForUpdate({ metadata }, old) {
    if (!semanticEqual(metadata.annotations ?? {}, old.metadata.annotations ?? {})) {
      metadata.generation = (old.metadata.generation ?? 0) + 1;
    }
  },
  prepareForStatusUpdate(deployment, old) {
    const { labels } = old.metadata;
    if (labels === undefined) delete deployment.metadata.labels;
    else deployment.metadata.labels = labels;
  },
  validate: validateDeployment,
  validateUpdate: validateDeploymentUpdate,
  validateStatusUpdate: validateDeploymentStatusUpdate,
  warnings: (object, old) => [...podNameWarnings(object, old), ...templateWarnings(object, old)],
});
