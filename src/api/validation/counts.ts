// Rules for groups of counters, as statuses have them.

import { type FieldError, invalid } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { nonNegative } from "./object-meta.ts";

/** In the order of `fields`; those that are absent are fine. */
export function validateNonNegative<T extends object>(
  object: T,
  fields: readonly (keyof T & string)[],
  path: FieldPath,
): FieldError[] {
  return fields.flatMap((field) => {
    const value = object[field];
    return typeof value === "number" ? nonNegative(value, path.child(field)) : [];
  });
}

/** `field` counts some of what `of` counts. `told` is the API's name for the latter. */
export interface Share<T> {
  readonly field: keyof T & string;
  readonly of: keyof T & string;
  readonly told: string;
}

export function validateShares<T extends object>(
  object: T,
  shares: readonly Share<T>[],
  path: FieldPath,
): FieldError[] {
  return shares
    .filter(({ field, of }) => count(object[field]) > count(object[of]))
    .map(({ field, told }) =>
      invalid(path.child(field), count(object[field]), `cannot be greater than ${told}`),
    );
}

/** A counter of collisions never goes back; to leave it out is going back. */
export function validateCollisionCount(
  value: number | undefined,
  old: number | undefined,
  path: FieldPath,
): FieldError[] {
  const decremented = old !== undefined && (value === undefined || value < old);
  return decremented ? [invalid(path, value ?? 0, "cannot be decremented")] : [];
}

function count(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
