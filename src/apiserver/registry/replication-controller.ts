// ReplicationControllers. They are stored; nothing runs them.

import { setReplicationControllerDefaults } from "../../api/defaults/replication-controller.ts";
import type { ReplicationController } from "../../api/types.ts";
import {
  validateReplicationController,
  validateReplicationControllerStatusUpdate,
  validateReplicationControllerUpdate,
} from "../../api/validation/replication-controller.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";
import { podNameWarnings, templateWarnings } from "./template-warnings.ts";

export const replicationControllerStrategy: Strategy = kindStrategy<ReplicationController>(
  "v1",
  "ReplicationController",
  {
    countsGenerations: true,
    defaultPropagation: "Orphan",
    fieldLabels: { "status.replicas": ({ status }) => String(status.replicas) },
    setDefaults: setReplicationControllerDefaults,
    validate: validateReplicationController,
    validateUpdate: validateReplicationControllerUpdate,
    validateStatusUpdate: validateReplicationControllerStatusUpdate,
    warnings: (object, old) => [...podNameWarnings(object, old), ...templateWarnings(object, old)],
  },
);
