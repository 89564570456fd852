// Cancellation with AbortSignals that clean up after themselves. A linked signal is a Disposable: a
// long-lived parent keeps no listener of a child that is done, which AbortSignal.any leaves to the
// garbage collector.

import { addAbortListener } from "node:events";
import type { Clock } from "./clock.ts";

export interface OwnedSignal extends Disposable {
  readonly signal: AbortSignal;
}

/** A signal that aborts with the first of `signals`, for the same reason. Dispose it when the work is done. */
export function linkSignals(...signals: readonly AbortSignal[]): OwnedSignal {
  const controller = new AbortController();
  const listeners = new DisposableStack();
  for (const signal of signals) {
    if (signal.aborted) {
      controller.abort(signal.reason);
      break;
    }
    listeners.use(addAbortListener(signal, () => controller.abort(signal.reason)));
  }
  controller.signal.addEventListener("abort", () => listeners.dispose(), { once: true });
  if (controller.signal.aborted) {
    listeners.dispose();
  }
  return { signal: controller.signal, [Symbol.dispose]: () => listeners.dispose() };
}

export interface DeadlineOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Aborts the deadline's signal too, before its time. */
  readonly signal?: AbortSignal;
}

/**
 * A signal that aborts after `timeoutMs` with a TimeoutError. Dispose it when the work is done: the
 * timer goes with it. A deadline is a failure: isAbort() does not recognise its reason.
 */
export function deadline({ clock, timeoutMs, signal }: DeadlineOptions): OwnedSignal {
  const late = new AbortController();
  const link = linkSignals(late.signal, ...(signal ? [signal] : []));
  const timer = clock.schedule(timeoutMs, () => {
    late.abort(new DOMException(`Not done within ${timeoutMs} ms`, "TimeoutError"));
  });
  const stop = (): void => timer[Symbol.dispose]();
  link.signal.addEventListener("abort", stop, { once: true });
  if (link.signal.aborted) {
    stop();
  }
  return {
    signal: link.signal,
    [Symbol.dispose]: () => {
      stop();
      link[Symbol.dispose]();
    },
  };
}

/** Says whether `err` is a cancellation: an AbortError, or the reason with which `signal` aborted. */
export function isAbort(err: unknown, signal?: AbortSignal): boolean {
  return (
    (err instanceof Error && err.name === "AbortError") ||
    (signal?.aborted === true && err === signal.reason)
  );
}

/** Resolves when `signal` aborts. For parts that have nothing left to do but wait for the end. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
    } else {
      signal.addEventListener("abort", () => resolve(), { once: true });
    }
  });
}

/** What is waited for, or undefined if `signal` aborts before: whoever waits may be needed elsewhere, the work goes on. */
export async function unlessAborted<T extends object>(
  wanted: Promise<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const result = await Promise.race([wanted, aborted(signal)]);
  return result ?? undefined;
}

/**
 * Runs `work` and resolves when it ends or is cancelled by `signal`, since cancellation is not an error.
 * Any other failure rejects. It waits for `work`: it does not leave it behind when the signal aborts.
 */
export async function untilAborted(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  try {
    await work(signal);
  } catch (err) {
    if (!(signal.aborted && isAbort(err, signal))) {
      throw err;
    }
  }
}
