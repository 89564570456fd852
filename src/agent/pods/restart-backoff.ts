// CrashLoopBackOff. How long to wait is noted on the container that may crash, when it is started: so the agent has nothing to
// remember, and a restart of the agent restarts no sequence. The first time costs nothing, then 10 s, doubling to 5 min; who
// ran for ten minutes begins anew.

import type { ContainerStatus } from "../../runtime/runtime.ts";
import { notes } from "./pod-containers.ts";

const BASE_MS = 10_000;
const MAX_BACKOFF_MS = 300_000;
const FORGIVEN_AFTER_MS = 600_000;

/** How long after its end the next one may start. */
export function restartDelayMs(ended: ContainerStatus): number {
  return isForgiven(ended, ended.startedAtMs) ? 0 : notedMs(ended);
}

/** What to note on the container that follows `last`, which has ended or is about to be stopped. */
export function nextBackoffMs(last: ContainerStatus, nowMs: number): number {
  if (isForgiven(last, nowMs)) return BASE_MS;
  return Math.min(MAX_BACKOFF_MS, Math.max(BASE_MS, 2 * notedMs(last)));
}

/**
 * Whether one that runs, and is about to be stopped for a failure, was started so short a time after `older` ended that its successor
 * has to wait. As in the original: what the stop itself takes is not counted, the end of the one before it is.
 */
export function isBackedOff(
  current: ContainerStatus,
  older: ContainerStatus | undefined,
  nowMs: number,
): boolean {
  return older?.end !== undefined && nowMs - older.end.finishedAtMs < notedMs(current);
}

function isForgiven({ startedAtMs, end }: ContainerStatus, nowMs: number): boolean {
  return (end?.finishedAtMs ?? nowMs) - startedAtMs >= FORGIVEN_AFTER_MS;
}

function notedMs({ annotations }: ContainerStatus): number {
  const noted = Number(annotations[notes.backoffMs] ?? "0");
  return Number.isFinite(noted) ? Math.min(Math.max(0, noted), MAX_BACKOFF_MS) : 0;
}

/** As Go prints it: 10s, 1m20s, 5m0s. */
export function goSeconds(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
