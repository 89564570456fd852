// A directory as a source. Its events say only that it is time for a look; what is seen counts. Armed before each look, so that nothing
// happens unseen; and a slow look now and then is the net behind the events.

import { dirname } from "node:path";
import { aborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { describe, isErrno } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { DirectoryWatch } from "../files/directory-watch.ts";
import type { LiveSource } from "./live-source.ts";
import { type DirectoryContent, readDirectory } from "./read-directory.ts";
import type { Files } from "./settings.ts";
import { whatStays } from "./what-stays.ts";

export interface DirectorySourceOptions {
  readonly path: string;
  /** It counts as empty while it is not there, before it ever was. */
  readonly isOptional: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

const NET_MS = 10_000;
/** While something is the matter with it. */
const FAULT_MS = 1_000;
/** A storm of events is looked at so often, and no more. */
const CALM_MS = 10;

export class DirectorySource implements LiveSource {
  readonly name: string;
  onChange: () => void = () => undefined;
  readonly #options: DirectorySourceOptions;
  #files: Files | undefined;
  #problem: string | undefined;
  /** There are no file events to be had. */
  #isDeaf = false;
  #timer: Disposable | undefined;

  constructor(options: DirectorySourceOptions) {
    this.#options = options;
    this.name = options.path;
  }

  get path(): string {
    return this.#options.path;
  }

  get files(): Files | undefined {
    return this.#files;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  async run(signal: AbortSignal): Promise<void> {
    using watch = new DirectoryWatch({
      onEvent: () => this.#plan(CALM_MS, look),
      // Everything else in a volume happens before its switch, or after it. In plain directories there are no such names.
      ignores: (name) => name.startsWith("..") && name !== "..data",
    });
    const look = (): void => this.#look(watch, look);
    look();
    await aborted(signal);
    this.#timer?.[Symbol.dispose]();
  }

  #look(watch: DirectoryWatch, again: () => void): void {
    const { path, isOptional, logger } = this.#options;
    try {
      this.#take(this.#armedRead(watch));
      if (this.#problem !== undefined) logger.info("source is back", { source: path });
      this.#problem = undefined;
    } catch (err) {
      const isAway = isErrno(err, "ENOENT");
      const problem = isAway ? `${path} is not there` : describe(err);
      if (problem !== this.#problem) {
        const then = whatStays(this.#files, isAway && isOptional);
        logger.warn(`source cannot be read, ${then}`, { source: path, why: problem });
      }
      if (isAway && isOptional) this.#files ??= new Map();
      this.#problem = problem;
      armQuietly(watch, dirname(path));
      this.onChange();
    }
    this.#plan(this.#problem === undefined && !this.#isDeaf ? NET_MS : FAULT_MS, again);
  }

  /** What is armed is known only after a look: so the look that counts is the one after it. */
  #armedRead(watch: DirectoryWatch): DirectoryContent {
    const first = readDirectory(this.#options.path);
    const wasDeaf = this.#isDeaf;
    this.#isDeaf = !this.#arm(watch, first.watched, wasDeaf);
    return this.#isDeaf ? first : readDirectory(this.#options.path);
  }

  /** A machine has only so many watches to give: without one there is the clock. */
  #arm(watch: DirectoryWatch, directories: readonly string[], wasDeaf: boolean): boolean {
    try {
      watch.arm(directories);
      return true;
    } catch (err) {
      // It went away between the look and this.
      if (isErrno(err, "ENOENT", "ENOTDIR")) throw err;
      const { path, logger } = this.#options;
      if (!wasDeaf) logger.warn("no file events, looking every second", { source: path, err });
      return false;
    }
  }

  #take({ files }: DirectoryContent): void {
    this.#files = files;
    this.onChange();
  }

  #plan(ms: number, look: () => void): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#options.clock.schedule(ms, look);
  }
}

function armQuietly(watch: DirectoryWatch, parent: string): void {
  try {
    watch.arm([parent]);
  } catch {
    // Then there is the net.
  }
}
