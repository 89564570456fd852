// StatefulSets. They are stored; nothing runs them.

import { setStatefulSetDefaults } from "../../api/defaults/stateful-set.ts";
import type { StatefulSet } from "../../api/types.ts";
import {
  validateStatefulSet,
  validateStatefulSetStatusUpdate,
  validateStatefulSetUpdate,
} from "../../api/validation/stateful-set.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";
import { templateWarnings } from "./template-warnings.ts";

const historyWarning =
  "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended";

export const statefulSetStrategy: Strategy = kindStrategy<StatefulSet>("apps/v1", "StatefulSet", {
  countsGenerations: true,
  setDefaults: setStatefulSetDefaults,
  validate: validateStatefulSet,
  validateUpdate: validateStatefulSetUpdate,
  validateStatusUpdate: validateStatefulSetStatusUpdate,
  warnings(object, old) {
    const warnings = templateWarnings(object, old);
    if ((object.spec.revisionHistoryLimit ?? 0) < 0) warnings.push(historyWarning);
    return warnings;
  },
});
