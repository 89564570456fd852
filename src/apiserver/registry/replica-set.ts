// ReplicaSets.

import { setReplicaSetDefaults } from "../../api/defaults/replica-set.ts";
import type { ReplicaSet } from "../../api/types.ts";
import {
  validateReplicaSet,
  validateReplicaSetStatusUpdate,
  validateReplicaSetUpdate,
} from "../../api/validation/replica-set.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";
import { podNameWarnings, templateWarnings } from "./template-warnings.ts";

export const replicaSetStrategy: Strategy = kindStrategy<ReplicaSet>("apps/v1", "ReplicaSet", {
  countsGenerations: true,
  setDefaults: setReplicaSetDefaults,
  validate: validateReplicaSet,
  validateUpdate: validateReplicaSetUpdate,
  validateStatusUpdate: validateReplicaSetStatusUpdate,
  warnings: (object, old) => [...podNameWarnings(object, old), ...templateWarnings(object, old)],
});
