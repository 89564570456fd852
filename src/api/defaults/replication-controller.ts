// What a ReplicationController is when nothing else is said: it selects the pods that it makes.

import type { ReplicationController } from "../types.ts";
import { setPodSpecDefaults } from "./pod-spec.ts";

/** Changes the object. */
export function setReplicationControllerDefaults({ metadata, spec }: ReplicationController): void {
  spec.replicas ??= 1;
  if (spec.template === undefined) return;
  setPodSpecDefaults(spec.template.spec);
  const { labels } = spec.template.metadata;
  if (labels === undefined) return;
  if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
  if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
}
