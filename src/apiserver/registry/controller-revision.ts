// ControllerRevisions.

import type { ControllerRevision } from "../../api/types.ts";
import {
  validateControllerRevision,
  validateControllerRevisionUpdate,
} from "../../api/validation/controller-revision.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";

export const controllerRevisionStrategy: Strategy = kindStrategy<ControllerRevision>(
  "apps/v1",
  "ControllerRevision",
  {
    validate: validateControllerRevision,
    validateUpdate: validateControllerRevisionUpdate,
  },
);
