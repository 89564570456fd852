// Tells the app of what is live, until it knows. What was told is kept on disk, action by action: another life of the sidecar neither forgets what is still to be told nor
// repeats what was.

import { createHash } from "node:crypto";
import { aborted, isAbort } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { describe } from "../base/errors.ts";
import type { Random } from "../base/random.ts";
import type { ReloadTry } from "../reload/reload-action.ts";
import { Reloader, type ReloadProgress } from "../reload/reloader.ts";
import type { ReloadActionSpec, ReloadSpec } from "./compose-model.ts";
import type { Told } from "./publish/state-directory.ts";

/** Where it is kept who was told: StateDirectory. */
interface ToldKeeper {
  readTold(): Told | undefined;
  /** When it throws, nothing is noted any more. */
  writeTold(told: Told): void;
}

export interface ReloadingOptions {
  readonly spec: ReloadSpec;
  readonly tryOf: (spec: ReloadActionSpec) => ReloadTry;
  /** Undefined: nothing is kept beyond this life. */
  readonly keeper: ToldKeeper | undefined;
  /** An init container's: the app starts later, with what is live then. It is not told; what is left to be told is left to the next life. */
  readonly isBeforeApp?: boolean;
  /** After each change. Without actions a version that is live is applied: one Succeeded, after 0 tries. */
  readonly onProgress: (progress: ReloadProgress) => void;
  readonly clock: Clock;
  readonly random: Random;
}

interface Action {
  readonly spec: ReloadActionSpec;
  /** Of what it does. */
  readonly key: string;
  readonly tell: ReloadTry;
}

export class Reloading {
  readonly #options: ReloadingOptions;
  readonly #actions: readonly Action[];
  #reloader: Reloader | undefined;
  #told: Told | undefined;
  /** Set with the first version of this life. */
  #first: string | undefined;
  #wanted: string | undefined;
  /** How often something else was wanted, or visible. */
  #changes = 0;

  constructor(options: ReloadingOptions) {
    this.#options = options;
    this.#actions = options.spec.actions.map((spec) => ({
      spec,
      key: keyOf(spec),
      tell: options.tryOf(spec),
    }));
  }

  /**
   * From now on this is what the app should know. `isFirst`: there was never anything before it, so an app that starts now starts with it; it is told nevertheless
   * if the composition wants that (`onStart`).
   */
  want(version: string, { isFirst }: { readonly isFirst: boolean }): void {
    if (version === this.#wanted) return;
    this.#wanted = version;
    this.#changes++;
    if (this.#options.isBeforeApp === true) this.#noteFirst(version, isFirst);
    if (this.#actions.length === 0 || this.#options.isBeforeApp === true) {
      this.#options.onProgress(this.#done(version));
      return;
    }
    this.#reloader ??= this.#open(version, isFirst);
    this.#reloader.want(version);
    // Known already: nothing will be told.
    if (this.#reloader.progress === undefined && this.#isToldOf(version)) {
      this.#options.onProgress(this.#done(version));
    }
  }

  /** Another version was visible for a moment, or a part of it: whoever is being told now may have read that. */
  doubt(): void {
    this.#changes++;
    this.#reloader?.doubt();
  }

  /** Settles when `signal` aborts and nobody is being told. */
  async run(signal: AbortSignal): Promise<void> {
    // Wanted later: there is no reloader until then.
    await Promise.race([this.#opened.promise, aborted(signal)]);
    if (!signal.aborted) await this.#reloader?.run(signal);
  }

  readonly #opened = Promise.withResolvers<void>();

  #open(version: string, isFirst: boolean): Reloader {
    const { spec, onProgress, clock, random } = this.#options;
    this.#first = version;
    this.#noteFirst(version, isFirst);
    const told = !spec.onStart && this.#isComplete() ? this.#told?.version : undefined;
    if (spec.onStart) this.#told = undefined;
    const reloader = new Reloader({
      // The wait is over when something is published: see Sidecar.
      ...{ minWaitMs: 0, maxWaitMs: 0, maxDelayMs: spec.retryMaxMs },
      ...{ told, clock, random, onProgress },
      tell: (wanted, signal) => this.#tell(wanted, signal),
    });
    this.#opened.resolve();
    return reloader;
  }

  /** What nobody needs to be told of, because the app starts with it. */
  #noteFirst(version: string, isFirst: boolean): void {
    const { spec, keeper } = this.#options;
    this.#told = readQuietly(keeper);
    if (isFirst && !spec.onStart && this.#told === undefined) {
      this.#note({ version, done: this.#actions.map(({ key }) => key) });
    }
  }

  /** Each action that has not succeeded for this version, one after the other; one that fails does not keep the next from being told. */
  async #tell(version: string, signal: AbortSignal): Promise<void> {
    const failures: string[] = [];
    // A try that is cut short may have had its effect: from here on nobody knows what the app runs with.
    if (this.#told?.version !== version) this.#note({ version, done: [] });
    for (const { spec, key, tell } of this.#actions) {
      const done = this.#told?.version === version ? this.#told.done : [];
      if (done.includes(key)) continue;
      const changes = this.#changes;
      try {
        if (!this.#isSkipped(spec, version)) await tell(signal);
      } catch (err) {
        if (isAbort(err, signal)) throw err;
        failures.push(describe(err));
        continue;
      }
      // Otherwise another version was live meanwhile, and nobody knows which one it has read.
      if (changes === this.#changes) this.#note({ version, done: [...done, key] });
    }
    if (failures.length > 0) throw new Error(failures.join("; "));
  }

  #isSkipped(spec: ReloadActionSpec, version: string): boolean {
    return spec.type === "http" && spec.skipsStart === true && version === this.#first;
  }

  #note(told: Told): void {
    this.#told = told;
    try {
      this.#options.keeper?.writeTold(told);
    } catch {
      // A disk that is full. The keeper forgets what it had noted: another life tells it once more, which does no harm.
    }
  }

  #isComplete(): boolean {
    const done = this.#told?.done ?? [];
    return this.#told !== undefined && this.#actions.every(({ key }) => done.includes(key));
  }

  #isToldOf(version: string): boolean {
    return this.#told?.version === version && this.#isComplete();
  }

  #done(version: string): ReloadProgress {
    const atMs = this.#options.clock.now();
    return { version, result: "Succeeded", attempts: 0, atMs, message: "", seconds: undefined };
  }
}

function readQuietly(keeper: ToldKeeper | undefined): Told | undefined {
  try {
    return keeper?.readTold();
  } catch {
    return undefined; // Nobody knows: it is told.
  }
}

/** A hash: headers may have secrets. */
function keyOf(spec: ReloadActionSpec): string {
  const plain = JSON.stringify(spec, (_, value: unknown) =>
    value instanceof Map ? [...(value as Map<unknown, unknown>)] : value,
  );
  return createHash("sha256").update(plain).digest("hex").slice(0, 16);
}
