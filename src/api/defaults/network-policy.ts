// What a NetworkPolicy is when nothing else is said.

import type { NetworkPolicy } from "../types.ts";

/** Changes the object. */
export function setNetworkPolicyDefaults({ spec }: NetworkPolicy): void {
  const rules = [...(spec.ingress ?? []), ...(spec.egress ?? [])];
  for (const port of rules.flatMap(({ ports }) => ports ?? [])) port.protocol ??= "TCP";
  if ((spec.policyTypes ?? []).length > 0) return;
  spec.policyTypes = (spec.egress ?? []).length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
}
