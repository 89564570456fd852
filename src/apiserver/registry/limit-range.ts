// LimitRanges. They are stored; nothing is limited by them.

import { setLimitRangeDefaults } from "../../api/defaults/limit-range.ts";
import type { LimitRange } from "../../api/types.ts";
import { validateLimitRange, validateLimitRangeUpdate } from "../../api/validation/limit-range.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";

export const limitRangeStrategy: Strategy = kindStrategy<LimitRange>("v1", "LimitRange", {
  createsOnUpdate: true,
  setDefaults: setLimitRangeDefaults,
  validate: validateLimitRange,
  validateUpdate: validateLimitRangeUpdate,
});
