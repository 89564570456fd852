// When an image is pulled, for containers and for volumes made of images.

import { type FieldError, notSupported, required } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";

const policies = ["Always", "IfNotPresent", "Never"];

export function validatePullPolicy(policy: string, path: FieldPath): FieldError[] {
  if (policy === "") return [required(path)];
  return policies.includes(policy) ? [] : [notSupported(path, policy, policies)];
}
