// What a Lease may look like.

import type { Lease, LeaseSpec } from "../types.ts";
import { type FieldError, invalid } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { nameIsDnsSubdomain } from "./names.ts";
import { nonNegative, validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";

const path = FieldPath.of("spec");

export function validateLease(lease: Lease): FieldError[] {
  return [
    ...validateObjectMeta(lease.metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...validateSpec(lease.spec ?? {}),
  ];
}

export function validateLeaseUpdate(lease: Lease, old: Lease): FieldError[] {
  return [
    ...validateObjectMetaUpdate(lease.metadata, old.metadata),
    ...validateSpec(lease.spec ?? {}),
  ];
}

function validateSpec({ leaseDurationSeconds, leaseTransitions }: LeaseSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
    const text = "must be greater than 0";
    errors.push(invalid(path.child("leaseDurationSeconds"), leaseDurationSeconds, text));
  }
  return [...errors, ...nonNegative(leaseTransitions ?? 0, path.child("leaseTransitions"))];
}
