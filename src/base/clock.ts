// Time as an argument. Everything that reads the time or waits takes a Clock, so that tests can
// step time instead of spending it. This file is the only home of Date.now and of timers.

export interface Clock {
  /** Milliseconds since the epoch. May jump, as the machine's clock may: use it for stamps only. */
  now(): number;
  /** Milliseconds that only ever grow; the origin means nothing. Use it for durations. */
  monotonicMs(): number;
  /** Settles after `ms`. Rejects with the signal's reason when `signal` aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `callback` once after `ms`, unless the returned handle is disposed before. */
  schedule(ms: number, callback: () => void): Disposable;
}

// setTimeout takes a signed 32-bit number and fires at once above it: a month would be 1 ms.
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const onAbort = (): void => {
        timer[Symbol.dispose]();
        reject(signal?.reason as Error);
      };
      const timer = schedule(ms, () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  },
  schedule,
};

function schedule(ms: number, callback: () => void): Disposable {
  let remainingMs = ms;
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const stretchMs = Math.min(remainingMs, longestTimerMs);
    remainingMs -= stretchMs;
    timer = setTimeout(() => (remainingMs > 0 ? arm() : callback()), stretchMs);
  };
  arm();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
