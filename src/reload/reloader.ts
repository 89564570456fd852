// Tells one program of the newest version, until it knows. Level-triggered: what is wanted is a version and not an event, so nothing is
// queued, nothing is lost, and what came and went meanwhile is never told.
//
//   idle ──want──> waiting (until it is quiet, at most maxWaitMs) ──> telling ──ok──> idle
//                     ^                                                  │ failed
//                     └── want, or the delay is over ── failing <────────┘        for ever, with growing delays
//
// One try at a time. A version that is wanted during a try waits for its end; and what the program has read meanwhile nobody knows, so it is told again then,
// also if that is the version that was told.

import { isAbort, linkSignals, untilAborted } from "../base/abort.ts";
import { Backoff } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";

export interface ReloaderOptions {
  /** It must have been quiet for so long before a new version is told, so that a burst is told once … */
  readonly minWaitMs: number;
  /** … but never longer than this after the first. */
  readonly maxWaitMs: number;
  /** The longest pause between two tries; a minute if undefined. */
  readonly maxDelayMs?: number | undefined;
  /** What the program is known to run with; undefined: nobody knows. */
  readonly told: string | undefined;
  /** Throws if it did not work, with a message for people. */
  readonly tell: (version: string, signal: AbortSignal) => Promise<void>;
  /** Called after each change of `progress`. Must not throw. */
  readonly onProgress: (progress: ReloadProgress) => void;
  readonly clock: Clock;
  readonly random: Random;
}

export interface ReloadProgress {
  readonly version: string;
  readonly result: "Pending" | "Succeeded" | "Failing";
  /** Tries that have ended, of this version. */
  readonly attempts: number;
  /** Wall-clock time of this result. */
  readonly atMs: number;
  /** Why the last try failed; "" otherwise. */
  readonly message: string;
  /** How long the last try took; undefined while there was none. */
  readonly seconds: number | undefined;
}

/** From half a second to a minute: a program that is down comes back in seconds, or not soon. */
const DELAYS = { baseMs: 500, factor: 2, maxMs: 60_000, jitter: 0.2, resetAfterMs: Infinity };

export class Reloader {
  readonly #options: ReloaderOptions;
  readonly #backoff: Backoff;
  /** Undefined: nothing is to be told. */
  #wanted: string | undefined;
  /** Undefined from the beginning of a try until one succeeds: a try that failed may have had its effect. */
  #told: string | undefined;
  /** The last try was of this version, and failed. */
  #failed: string | undefined;
  #progress: ReloadProgress | undefined;
  /** Ends the present wait: something else is wanted, or may have been read. */
  #news = new AbortController();

  constructor(options: ReloaderOptions) {
    const { clock, random, told, maxDelayMs = DELAYS.maxMs } = options;
    this.#options = options;
    this.#told = told;
    this.#backoff = new Backoff({ ...DELAYS, maxMs: maxDelayMs, clock, random });
  }

  /** Of the version that was wanted last, if there was one to tell. */
  get progress(): ReloadProgress | undefined {
    return this.#progress;
  }

  /** From now on this is what the program should know. Undefined: nothing more, whatever was wanted before. */
  want(version: string | undefined): void {
    if (version === this.#wanted) return;
    this.#wanted = version;
    this.#progress = undefined;
    if (this.#isDue()) this.#note("Pending", { attempts: 0 });
    this.doubt();
  }

  /** What the program finds may be something else for a moment: a try that is under way proves nothing, and is made once more. */
  doubt(): void {
    this.#news.abort();
    this.#news = new AbortController();
  }

  /** Settles when `signal` aborts and no try is under way. */
  async run(signal: AbortSignal): Promise<void> {
    await untilAborted(signal, async () => {
      for (;;) {
        if (!this.#isDue()) await this.#pause(Infinity, signal);
        else if (await this.#isTime(signal)) await this.#try(signal);
      }
    });
  }

  #isDue(): boolean {
    return this.#wanted !== undefined && this.#wanted !== this.#told;
  }

  /** Waits as long as it takes, or until something else is wanted. */
  async #isTime(signal: AbortSignal): Promise<boolean> {
    if (this.#wanted === this.#failed) return this.#pause(this.#backoff.nextMs(), signal);
    this.#backoff.reset();
    const { minWaitMs, maxWaitMs, clock } = this.#options;
    const untilMs = clock.monotonicMs() + maxWaitMs;
    for (let isQuiet = false; !isQuiet && this.#isDue(); ) {
      const leftMs = untilMs - clock.monotonicMs();
      if (leftMs <= 0) break;
      isQuiet = await this.#pause(Math.min(minWaitMs, leftMs), signal);
    }
    return this.#isDue();
  }

  async #try(signal: AbortSignal): Promise<void> {
    const { tell, clock } = this.#options;
    const version = this.#wanted ?? "";
    const attempts = (this.#progress?.attempts ?? 0) + 1;
    this.#told = undefined;
    const { signal: news } = this.#news;
    const beganMs = clock.monotonicMs();
    const seconds = (): number => (clock.monotonicMs() - beganMs) / 1000;
    try {
      await tell(version, signal);
      this.#failed = undefined;
      if (news.aborted) return;
      this.#told = version;
      this.#note("Succeeded", { attempts, seconds: seconds() });
    } catch (err) {
      if (isAbort(err, signal)) throw err;
      this.#failed = version;
      const message = err instanceof Error ? err.message : String(err);
      const failure = { attempts, message, seconds: seconds() };
      if (!news.aborted) this.#note("Failing", failure);
    }
  }

  /** True if the time has passed; false if something else is wanted before. */
  async #pause(ms: number, signal: AbortSignal): Promise<boolean> {
    const { signal: news } = this.#news;
    using either = linkSignals(signal, news);
    try {
      await this.#options.clock.sleep(ms, either.signal);
      return true;
    } catch (err) {
      if (signal.aborted || !news.aborted) throw err;
      return false;
    }
  }

  #note(
    result: ReloadProgress["result"],
    of: Pick<ReloadProgress, "attempts"> & Partial<ReloadProgress>,
  ): void {
    const { clock, onProgress } = this.#options;
    const version = this.#wanted ?? "";
    const base = { message: "", seconds: undefined };
    this.#progress = { ...base, ...of, version, result, atMs: clock.now() };
    onProgress(this.#progress);
  }
}
