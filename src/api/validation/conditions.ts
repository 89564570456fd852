// Conditions of the common kind, as statuses have them.

import type { Condition } from "../types.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
  tooLong,
} from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { validateLabelName } from "./labels.ts";
import { regexError } from "./names.ts";
import { exceedsBytes } from "./utf8-length.ts";

const statuses = ["False", "True", "Unknown"];
const reasonPattern = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const isReason = new RegExp(`^${reasonPattern}$`);
const reasonText =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";
const maxReasonBytes = 1024;
const maxMessageBytes = 32 * 1024;

export function validateConditions(
  conditions: readonly Condition[],
  path: FieldPath,
): FieldError[] {
  const seen = new Set<string>();
  return conditions.flatMap((condition, i) => {
    const type = condition.type ?? "";
    const errors = seen.has(type) ? [duplicate(path.index(i), type)] : [];
    seen.add(type);
    return [...errors, ...validateCondition(condition, path.index(i))];
  });
}

function validateCondition(condition: Condition, path: FieldPath): FieldError[] {
  const { type, status, observedGeneration = 0, message } = condition;
  const errors =
    type === ""
      ? [required(path.child("type"), "is required")]
      : validateLabelName(type, path.child("type"));
  if (status === "") errors.push(required(path.child("status")));
  else if (!statuses.includes(status)) {
    errors.push(notSupported(path.child("status"), status, statuses));
  }
  if (observedGeneration < 0) {
    const text = "must be greater than or equal to zero";
    errors.push(invalid(path.child("observedGeneration"), observedGeneration, text));
  }
  if ((condition.lastTransitionTime ?? null) === null) {
    errors.push(required(path.child("lastTransitionTime")));
  }
  errors.push(...validateReason(condition.reason ?? "", path.child("reason")));
  if (exceedsBytes(message, maxMessageBytes)) {
    errors.push(tooLong(path.child("message"), maxMessageBytes));
  }
  return errors;
}

function validateReason(reason: string, path: FieldPath): FieldError[] {
  if (reason === "") return [required(path)];
  const errors = isReason.test(reason)
    ? []
    : [
        invalid(
          path,
          reason,
          regexError(
            reasonText,
            reasonPattern,
            "my_name",
            "MY_NAME",
            "MyName",
            "ReasonA,ReasonB",
            "ReasonA:ReasonB",
          ),
        ),
      ];
  return exceedsBytes(reason, maxReasonBytes) ? [...errors, tooLong(path, maxReasonBytes)] : errors;
}
