// The lock of a data directory, for commands: who has it may be about to end.

import { LockedError, lockAgent } from "../agent/agent-lock.ts";
import { systemClock } from "../base/clock.ts";

const LOOK_MS = 50;

/** Waits so long for somebody else to give it back, and then throws LockedError. `onLocked` hears who that is, once for each. */
export async function takeLock(
  file: string,
  options: { readonly patienceMs: number; readonly onLocked?: (pid: number) => void },
): Promise<Disposable> {
  const until = systemClock.monotonicMs() + options.patienceMs;
  const told = new Set<number>();
  for (;;) {
    try {
      return lockAgent(file, process.pid);
    } catch (err) {
      if (!(err instanceof LockedError) || systemClock.monotonicMs() > until) throw err;
      const { pid } = err;
      if (pid !== undefined && !told.has(pid)) {
        told.add(pid);
        options.onLocked?.(pid);
      }
      await systemClock.sleep(LOOK_MS);
    }
  }
}
