// The containers of a pod, of all three kinds, as one list.

import type { Container, EphemeralContainer, Pod } from "../api/types.ts";

export type AnyContainer = Container | EphemeralContainer;

/** Init containers first, ephemeral ones last: the order in which they come to life. */
export function allContainers({ spec }: Pod): readonly AnyContainer[] {
  const { initContainers, containers, ephemeralContainers } = spec ?? {};
  return [...(initContainers ?? []), ...(containers ?? []), ...(ephemeralContainers ?? [])];
}
