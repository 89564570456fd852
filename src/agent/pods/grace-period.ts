// How long a pod may take to stop.

import type { Pod } from "../../api/types.ts";

/** Containers always get a moment: who is killed at once cannot even close a file. */
const MIN_SECONDS = 1;

/** `current` is what it was before: a grace period only ever gets shorter. */
export function graceSeconds({ metadata, spec }: Pod, current?: number): number {
  const asked =
    metadata.deletionGracePeriodSeconds ?? current ?? spec.terminationGracePeriodSeconds;
  return Math.max(MIN_SECONDS, Math.min(asked ?? 30, current ?? Number.POSITIVE_INFINITY));
}
