// What a DeliveryPolicy means when nothing else is said: a delivery that goes wrong is taken back by itself.

import type { DeliveryPolicy } from "../types.ts";

/** Changes the object. */
export function setDeliveryPolicyDefaults({ spec }: DeliveryPolicy): void {
  spec.rollback ||= "Automatic";
  for (const { http } of spec.reload ?? []) {
    if (http === undefined) continue;
    http.path ||= "/";
    http.method ||= "POST";
  }
}
