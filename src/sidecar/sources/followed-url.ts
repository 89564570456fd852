// Keeps the content of one address: asks again after a while, asks more rarely the longer it fails, and keeps what it has through every failure.

import { untilAborted } from "../../base/abort.ts";
import { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { describe } from "../../base/errors.ts";
import type { Random } from "../../base/random.ts";
import { FetchError, fetchUrl, type UrlRequest, type Validators } from "./fetch-url.ts";

export interface FollowedUrlOptions {
  readonly request: UrlRequest;
  /** Undefined: it is fetched once, and tried until then. */
  readonly intervalMs: number | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** Each answer and each failure. */
  readonly onTry: () => void;
}

const RETRY = { baseMs: 1000, factor: 2, jitter: 0.5, resetAfterMs: 600_000 };
const MAX_RETRY_MS = 60_000;
/** Those who began together do not ask together for ever. */
const SPREAD = 0.1;

export class FollowedUrl {
  readonly #options: FollowedUrlOptions;
  #data: Uint8Array | undefined;
  #validators: Validators | undefined;
  #problem: string | undefined;
  #hasTried = false;

  constructor(options: FollowedUrlOptions) {
    this.#options = options;
  }

  /** The last that was whole. */
  get data(): Uint8Array | undefined {
    return this.#data;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get hasTried(): boolean {
    return this.#hasTried;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, intervalMs } = this.#options;
    const maxMs = Math.max(RETRY.baseMs, Math.min(intervalMs ?? MAX_RETRY_MS, MAX_RETRY_MS));
    const backoff = new Backoff({ ...RETRY, maxMs, clock, random });
    await untilAborted(signal, async () => {
      for (;;) {
        const failure = await this.#try(signal);
        if (failure === undefined && intervalMs === undefined) return;
        if (failure === undefined) backoff.reset();
        const spread = 1 + SPREAD * (2 * random.next() - 1);
        const pauseMs =
          failure === undefined
            ? (intervalMs ?? 0) * spread
            : Math.max(backoff.nextMs(), Math.min(failure.retryAfterMs ?? 0, 10 * MAX_RETRY_MS));
        await clock.sleep(pauseMs, signal);
      }
    });
  }

  async #try(signal: AbortSignal): Promise<FetchError | undefined> {
    const { request, clock, onTry } = this.#options;
    let failure: FetchError | undefined;
    try {
      const fetched = await fetchUrl(request, { clock, signal, known: this.#validators });
      if (fetched !== "unchanged") {
        this.#data = fetched.data;
        this.#validators = fetched.validators;
      }
    } catch (err) {
      signal.throwIfAborted();
      failure = err instanceof FetchError ? err : new FetchError(describe(err), { cause: err });
    }
    this.#problem = failure?.message;
    this.#hasTried = true;
    onTry();
    return failure;
  }
}
