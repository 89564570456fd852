// Compresses old logs, one at a time: a container that floods its log must not keep all cores busy.

import { compressOldLogs } from "./rotated-logs.ts";

export class LogCompressor {
  readonly #report: (what: string, err: unknown) => void;
  /** Logs whose old ones are to be looked at, in the order in which they came. */
  readonly #waiting = new Set<string>();
  #work: Promise<void> | undefined;

  constructor(report: (what: string, err: unknown) => void) {
    this.#report = report;
  }

  add(logPath: string): void {
    this.#waiting.add(logPath);
    this.#work ??= this.#compressAll();
  }

  /** Settles when there is nothing left to compress. */
  async idle(): Promise<void> {
    await this.#work;
  }

  async #compressAll(): Promise<void> {
    for (const logPath of this.#waiting) {
      this.#waiting.delete(logPath);
      try {
        await compressOldLogs(logPath);
      } catch (err) {
        // They stay as they are, which is no harm but to the disk; the next rotation tries again.
        this.#report(`cannot compress old logs of ${logPath}`, err);
      }
    }
    this.#work = undefined;
  }
}
