// The name of the machine that a pod's containers see.

import type { Pod } from "../api/types.ts";

export function podHostname({ metadata, spec }: Pod, nodeName: string): string {
  if (spec.hostnameOverride) return spec.hostnameOverride;
  if (spec.hostNetwork === true) return nodeName;
  if (spec.hostname) return spec.hostname;
  // The kernel takes 64, names in the DNS end after 63, and not with a dash or a dot.
  return (metadata.name ?? "").slice(0, 63).replace(/[-.]+$/, "");
}
