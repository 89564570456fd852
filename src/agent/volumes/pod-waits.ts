// Waiting for something about a pod to become true. Nobody polls: whoever changes something about the pod says so.

import { deadline } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";

export interface WaitOptions {
  /** Asked at once and after each `progressed`. What it throws ends the wait. */
  readonly isDone: () => boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export class PodWaits {
  readonly #clock: Clock;
  /** By the pod's uid; no set is empty. */
  readonly #looks = new Map<string, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  progressed(podUid: string): void {
    for (const look of this.#looks.get(podUid) ?? []) look();
  }

  /** Says whether it became true in time. Rejects with the signal's reason when that aborts first. */
  async until(podUid: string, { isDone, timeoutMs, signal }: WaitOptions): Promise<boolean> {
    signal.throwIfAborted();
    if (isDone()) return true;
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const look = (): void => {
      try {
        if (isDone()) resolve(true);
      } catch (err) {
        reject(err);
      }
    };
    using limit = deadline({ clock: this.#clock, timeoutMs, signal });
    const onLimit = (): void => (signal.aborted ? reject(signal.reason) : resolve(false));
    limit.signal.addEventListener("abort", onLimit, { once: true });
    const looks = this.#looks.get(podUid) ?? new Set();
    this.#looks.set(podUid, looks.add(look));
    try {
      return await promise;
    } finally {
      looks.delete(look);
      if (looks.size === 0 && this.#looks.get(podUid) === looks) this.#looks.delete(podUid);
    }
  }
}
