// The time after a start or a reload in which a program has to show that it does its work. Late is not the end of it: who is slow may come yet.

import { linkSignals, untilAborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { ReloadTry } from "../reload/reload-action.ts";

export interface TrialOptions {
  /** Undefined: whoever lives for a moment is ready. */
  readonly isReady: ReloadTry | undefined;
  readonly timeoutMs: number;
  readonly onChange: () => void;
  readonly clock: Clock;
}

export type TrialState = "running" | "ready" | "late" | "reported";

/** A program that cannot read its configuration ends sooner. */
const SETTLE_MS = 1_000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

export class Trial implements Disposable {
  readonly #options: TrialOptions;
  readonly #stop = new AbortController();
  #state: TrialState = "running";
  #reason = "";
  #hadLastTry = false;

  constructor(options: TrialOptions) {
    this.#options = options;
  }

  get state(): TrialState {
    return this.#state;
  }

  /** Why it is not ready. */
  get reason(): string {
    return this.#reason;
  }

  /** It is known that it is late. */
  report(): void {
    if (this.#state === "late") this.#state = "reported";
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  /** Settles when it is ready, when `signal` aborts, or when it is disposed of. */
  async run(signal: AbortSignal): Promise<void> {
    const { isReady, clock, timeoutMs } = this.#options;
    using either = linkSignals(signal, this.#stop.signal);
    await untilAborted(either.signal, async (stopped) => {
      if (isReady === undefined) {
        await clock.sleep(SETTLE_MS, stopped);
      } else {
        using _late = clock.schedule(timeoutMs, () => this.#set("late"));
        await this.#tries(isReady, stopped);
      }
      this.#set("ready");
    });
  }

  /**
   * One more try, now, before something newer takes its place: it may have become ready in a pause between two tries, and is then what to go back to. Once, or changes that
   * come faster than answers would keep it for ever. Returns whether there was one; it is over when the program has ended, at the latest.
   */
  async lastTry(): Promise<boolean> {
    const { isReady } = this.#options;
    if (isReady === undefined || this.#hadLastTry || this.#state === "ready") return false;
    this.#hadLastTry = true;
    try {
      await isReady(this.#stop.signal);
      this.#set("ready");
    } catch {
      // It is not ready, or has ended.
    }
    return true;
  }

  async #tries(isReady: ReloadTry, signal: AbortSignal): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      try {
        await isReady(signal);
        return;
      } catch (err) {
        signal.throwIfAborted();
        this.#reason = err instanceof Error ? err.message : String(err);
      }
      await this.#options.clock.sleep(pauseMs, signal);
    }
  }

  #set(state: TrialState): void {
    // Who was ready is not late afterwards.
    if (this.#stop.signal.aborted || this.#state === "ready") return;
    this.#state = state;
    this.#options.onChange();
  }
}
