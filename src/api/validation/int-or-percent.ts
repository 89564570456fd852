// Numbers that may be written as a share: maxSurge: 1 or maxSurge: "25%".

import { type FieldError, invalid } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { percent } from "./names.ts";

export type IntOrString = number | string;

export function validatePositiveIntOrPercent(value: IntOrString, path: FieldPath): FieldError[] {
  if (typeof value === "string") return percent(value).map((text) => invalid(path, value, text));
  return value < 0 ? [invalid(path, value, "must be greater than or equal to 0")] : [];
}

export function validateNotMoreThan100Percent(value: IntOrString, path: FieldPath): FieldError[] {
  const share = percentOf(value);
  return share !== undefined && share > 100
    ? [invalid(path, value, "must not be greater than 100%")]
    : [];
}

/** The number, or the number before "%"; 0 for a text that is neither. */
export function intOrPercentNumber(value: IntOrString): number {
  if (typeof value === "number") return value;
  return percentOf(value) ?? (/^[-+]?\d+$/.test(value) ? Number(value) : 0);
}

function percentOf(value: IntOrString): number | undefined {
  if (typeof value === "number" || percent(value).length > 0) return undefined;
  return Number(value.slice(0, -1));
}
