// A request to have so many replicas. Other metadata than managedFields is not looked at.

import type { Scale } from "../types.ts";
import type { FieldError } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { nonNegative } from "./object-meta.ts";

export function validateScale(scale: Scale): FieldError[] {
  return nonNegative(scale.spec?.replicas ?? 0, FieldPath.of("spec", "replicas"));
}
