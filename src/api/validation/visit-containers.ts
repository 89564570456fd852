// The containers of a pod with where they are, in the order in which the API goes through them: init containers first.

import type { Container, PodSpec } from "../types.ts";
import { list } from "./absent.ts";
import type { FieldPath } from "./field-path.ts";

export interface PlacedContainer {
  readonly container: Container;
  readonly path: FieldPath;
}

export function visitContainers(spec: PodSpec, path: FieldPath): PlacedContainer[] {
  return (["initContainers", "containers", "ephemeralContainers"] as const).flatMap((kind) => {
    const at = path.child(kind);
    return list<Container>(spec[kind]).map((container, i) => ({ container, path: at.index(i) }));
  });
}
