// Two programs at a time, for as long as it is not clear which of them stays.

import type { Alarm } from "./alarm.ts";
import type { RunningChild } from "./program.ts";
import type { Trial } from "./trial.ts";

export interface HandOver {
  readonly old: RunningChild;
  readonly next: RunningChild;
  /** Of the new one. */
  readonly trial: Trial;
  readonly alarm: Alarm;
  /** Somebody wants us to end, or wants something else by now. */
  readonly isMoot: () => boolean;
}

/** True: the new one is ready, or the only one that is left. */
export async function newOneStays({ old, next, trial, alarm, isMoot }: HandOver): Promise<boolean> {
  const isUp = (child: RunningChild): boolean => child.status === undefined;
  for (;;) {
    alarm.reset();
    if (!isUp(old)) return true;
    if (trial.state === "ready") return isUp(next);
    if (trial.state !== "running" || !isUp(next)) return false;
    if (!isMoot()) await alarm.pause();
    else if (!(await trial.lastTry())) return false;
  }
}
