// PodDisruptionBudgets.

import type { PodDisruptionBudget } from "../../api/types.ts";
import {
  validatePodDisruptionBudget,
  validatePodDisruptionBudgetStatusUpdate,
  validatePodDisruptionBudgetUpdate,
} from "../../api/validation/pod-disruption-budget.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";

export const podDisruptionBudgetStrategy: Strategy = kindStrategy<PodDisruptionBudget>(
  "policy/v1",
  "PodDisruptionBudget",
  {
    countsGenerations: true,
    requiresResourceVersion: true,
    validate: validatePodDisruptionBudget,
    validateUpdate: validatePodDisruptionBudgetUpdate,
    validateStatusUpdate: validatePodDisruptionBudgetStatusUpdate,
  },
);
