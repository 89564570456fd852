// Says when it is worth looking at a log again: the kernel tells of every change in its directory.

import { type FSWatcher, watch } from "node:fs";
import type { Clock } from "../../base/clock.ts";

export interface LogChangesOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Settles when the container has ended and its log is finished. */
  readonly ended: Promise<unknown>;
}

/** Where the kernel watches no more directories for us. */
const LOOK_AGAIN_MS = 1000;

export class LogChanges implements Disposable {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #watcher: FSWatcher | undefined;
  #hasChanged = false;
  #hasEnded = false;
  #waiting: (() => void) | undefined;

  /** Nothing that happens after it returns is missed. */
  static watch(options: LogChangesOptions): LogChanges {
    const changes = new LogChanges(options);
    changes.#watch(options.directory);
    const onEnd = (): void => {
      changes.#hasEnded = true;
      changes.#wake();
    };
    options.ended.then(onEnd, onEnd);
    options.signal.addEventListener("abort", changes.#wake, { once: true });
    return changes;
  }

  private constructor({ clock, signal }: LogChangesOptions) {
    this.#clock = clock;
    this.#signal = signal;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** What changed before was, or is about to be, looked at. */
  forget(): void {
    this.#hasChanged = false;
  }

  /** Settles at once if something has changed since forget(), or when something does, or the signal aborts. */
  async next(): Promise<void> {
    if (this.#hasChanged || this.#signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = resolve;
    using _again =
      this.#watcher === undefined ? this.#clock.schedule(LOOK_AGAIN_MS, resolve) : undefined;
    await promise;
    this.#waiting = undefined;
  }

  [Symbol.dispose](): void {
    this.#watcher?.close();
    this.#signal.removeEventListener("abort", this.#wake);
  }

  readonly #wake = (): void => {
    this.#hasChanged = true;
    this.#waiting?.();
  };

  #watch(directory: string): void {
    try {
      const watcher = watch(directory, this.#wake);
      watcher.on("error", () => {
        watcher.close();
        this.#watcher = undefined;
        this.#wake();
      });
      this.#watcher = watcher;
    } catch {
      // There is a limit for each user; then it is looked at from time to time.
    }
  }
}
