// How many pods may be made while those before them fail as soon as they are made. A node that refuses a pod does so at once: without a
// limit the set makes and the node refuses them as fast as the two can talk, until the server holds thousands. What failed is read from
// the pods that are still there, so that the limit outlives a restart.

import type { Pod } from "../../api/types.ts";
import { timeMs } from "../pods/pod-condition.ts";

export interface Replacements {
  /** So many pods may be made now. */
  readonly allowed: number;
  /** In how many milliseconds there may be more; undefined if nothing failed of late. */
  readonly moreInMs: number | undefined;
}

const WINDOW_MS = 60_000;
/** For small sets. Larger ones may replace all their pods twice in the same time. */
const LEAST_PER_WINDOW = 20;

export function replacements(
  wanted: number,
  { ended, nowMs }: { readonly ended: readonly Pod[]; readonly nowMs: number },
): Replacements {
  // One that was made in the far future says only that a clock was set back.
  const agesMs = ended
    .map(({ metadata }) => nowMs - (timeMs(metadata.creationTimestamp) ?? 0))
    .filter((ageMs) => Math.abs(ageMs) < WINDOW_MS);
  const most = Math.max(LEAST_PER_WINDOW, 2 * wanted);
  const oldestMs = agesMs.reduce((a, b) => Math.max(a, b), -WINDOW_MS);
  return {
    allowed: Math.max(0, most - agesMs.length),
    moreInMs: agesMs.length === 0 ? undefined : WINDOW_MS - oldestMs,
  };
}
