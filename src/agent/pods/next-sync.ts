// When a pod is looked at again although nothing happened. Everything that happens wakes its worker at once: this is the net
// below that, and the pace of retries.

import type { Random } from "../../base/random.ts";

export interface SyncFailure {
  readonly err: unknown;
  /** It is not worth trying before. */
  readonly retryAtMs?: number;
}

export interface SyncResult {
  /** The pod went on to the next part of its life. */
  readonly isTransition: boolean;
  readonly failures: readonly SyncFailure[];
}

const RESYNC_MS = 60_000;
const RETRY_MS = 10_000;
/** Up to so much of the delay is added by chance, so that the pods of a node do not come together. */
const JITTER = 0.5;

export function nextSyncMs(
  { isTransition, failures }: SyncResult,
  { nowMs, random, resyncMs = RESYNC_MS }: { nowMs: number; random: Random; resyncMs?: number },
): number {
  if (isTransition) return 0;
  const spread = 1 + JITTER * random.next();
  if (failures.length === 0) return resyncMs * spread;
  const deadlines = failures.flatMap(({ retryAtMs }) => retryAtMs ?? []);
  const delayMs = deadlines.length === 0 ? RETRY_MS : Math.min(...deadlines) - nowMs;
  return Math.min(Math.max(0, delayMs), resyncMs) * spread;
}
