// What a ReplicaSet is when nothing else is said.

import type { ReplicaSet } from "../types.ts";
import { setPodSpecDefaults } from "./pod-spec.ts";

/** Changes the object. */
export function setReplicaSetDefaults({ spec }: ReplicaSet): void {
  setPodSpecDefaults(spec.template.spec);
  spec.replicas ??= 1;
}
