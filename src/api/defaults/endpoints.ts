// Ports are TCP when nothing else is said.

import type { EndpointSlice, Endpoints } from "../types.ts";

/** Changes the object. */
export function setEndpointsDefaults({ subsets }: Endpoints): void {
  for (const subset of subsets ?? []) {
    for (const port of subset.ports ?? []) port.protocol ||= "TCP";
  }
}

/** Changes the object. */
export function setEndpointSliceDefaults({ ports }: EndpointSlice): void {
  for (const port of ports ?? []) {
    port.name ??= "";
    port.protocol ??= "TCP";
  }
}
