// ConfigRevisions.

import type { ConfigRevision } from "../../api/types.ts";
import {
  validateConfigRevision,
  validateConfigRevisionUpdate,
} from "../../api/validation/config-revision.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";

export const configRevisionStrategy: Strategy = kindStrategy<ConfigRevision>(
  "driftless.dev/v1",
  "ConfigRevision",
  {
    fieldLabels: {
      "object.kind": ({ object }) => object.kind,
      "object.name": ({ object }) => object.name,
    },
    validate: validateConfigRevision,
    validateUpdate: validateConfigRevisionUpdate,
  },
);
