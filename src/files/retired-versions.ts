// Versions that were replaced. Normally one is removed at once; with a grace time it stays, so that
// a reader that resolved `..data` before the swap can finish reading.

import { rmSync } from "node:fs";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { dataTarget } from "./survey.ts";

/**
 * A writer in a hot loop must not fill the disk with versions in their grace time. Five thousand
 * swaps a second is as fast as it gets; this many then still last 200 ms, longer than a reader that
 * was put off the processor in the middle of an open(2).
 */
const MAX_KEPT = 1024;

export interface RetiredVersionsOptions {
  readonly directory: string;
  readonly keepPreviousMs?: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class RetiredVersions {
  readonly #options: RetiredVersionsOptions;
  /** When each may go, by the monotonic clock. In order of insertion, which is order of deadline. */
  readonly #deadlines = new Map<string, number>();

  constructor(options: RetiredVersionsOptions) {
    this.#options = options;
  }

  has(name: string): boolean {
    return this.#deadlines.has(name);
  }

  /** Starts the grace time of a version, or removes it now. False when it could not be removed. */
  retire(name: string): boolean {
    const { keepPreviousMs = 0, clock } = this.#options;
    if (keepPreviousMs <= 0) return this.#remove(name);
    this.#deadlines.delete(name); // So that it is set at the end.
    this.#deadlines.set(name, clock.monotonicMs() + keepPreviousMs);
    const [oldest] = this.#deadlines.keys();
    return this.#deadlines.size <= MAX_KEPT || oldest === undefined || this.#remove(oldest);
  }

  /** True when there was something to remove; what could not be removed is a leftover again. */
  removeExpired(): boolean {
    let any = false;
    for (const [name] of this.#deadlines) {
      if ((this.nextExpiryMs() ?? 1) > 0) break;
      this.#remove(name);
      any = true;
    }
    return any;
  }

  /** True when there was something to remove. */
  removeAll(): boolean {
    const names = [...this.#deadlines.keys()];
    for (const name of names) this.#remove(name);
    return names.length > 0;
  }

  /** Milliseconds until the next may go; undefined when none is kept. */
  nextExpiryMs(): number | undefined {
    const [deadline] = this.#deadlines.values();
    return deadline === undefined
      ? undefined
      : Math.max(0, deadline - this.#options.clock.monotonicMs());
  }

  #remove(name: string): boolean {
    this.#deadlines.delete(name);
    const { directory, logger } = this.#options;
    try {
      // Somebody may have turned `..data` back to it: then it is what readers see.
      if (dataTarget(directory) === name) return false;
    } catch (err) {
      logger.warn("volume keeps a leftover", { directory, leftover: name, err });
      return false;
    }
    return removeTree(name, this.#options);
  }
}

/** Removes an entry of the volume with all below it. What cannot be removed is said, and left for the next write. */
export function removeTree(
  name: string,
  { directory, logger }: { readonly directory: string; readonly logger: Logger },
): boolean {
  try {
    rmSync(`${directory}/${name}`, { recursive: true, force: true });
    return true;
  } catch (err) {
    logger.warn("volume keeps a leftover", { directory, leftover: name, err });
    return false;
  }
}
