// Service accounts are little more than a name.

import type { ServiceAccount } from "../types.ts";
import type { FieldError } from "./field-error.ts";
import { nameIsDnsSubdomain } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";

const rules = { namespaced: true, name: nameIsDnsSubdomain };

export function validateServiceAccount(account: ServiceAccount): FieldError[] {
  return validateObjectMeta(account.metadata, rules);
}

export function validateServiceAccountUpdate(
  account: ServiceAccount,
  old: ServiceAccount,
): FieldError[] {
  return [
    ...validateObjectMetaUpdate(account.metadata, old.metadata),
    ...validateServiceAccount(account),
  ];
}
