// Copies of the watched directories, of one version each: one that the program reads, in a volume that is switched at one instant, and one for
// the gate. Only with them can files go back: the watched ones are somebody else's.

import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { describe } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import { AtomicWriter } from "../files/atomic-writer.ts";
import { Payload } from "../files/payload.ts";
import { currentProcess } from "../files/process-identity.ts";
import type { Settings } from "./settings.ts";

export interface SnapshotFilesOptions {
  /** A directory of ours is made in it, and removed in the end. */
  readonly parent: string;
  /** Undefined if somebody has it. Taken back by the kernel when its holder ends. */
  readonly lock: (path: string) => Disposable | undefined;
  /** In place of removing a directory with all that is in it. */
  readonly remove?: (path: string) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What stands for the directory in commands. */
export const SNAPSHOT = "{snapshot}";
/** For readers that are on their way into the version before. */
const KEEP_PREVIOUS_MS = 1_000;

const LOCK = "lock";
const PREFIX = "driftless-run-";

/** A copy could not be made; that of the version before is as it was. */
export class SnapshotError extends Error {
  override readonly name = "SnapshotError";
}

export class SnapshotFiles implements Disposable {
  readonly #options: SnapshotFilesOptions;
  #root: string | undefined;
  #live: AtomicWriter | undefined;
  #lock: Disposable | undefined;

  constructor(options: SnapshotFilesOptions) {
    this.#options = options;
  }

  /** Where the program reads; always the same. */
  get live(): string {
    return join(this.#made(), "live");
  }

  /** Makes the program's copy be of this version. Throws SnapshotError. */
  publish(settings: Settings): void {
    this.#trying(() => {
      const path = this.live;
      this.#live ??= this.#writer(path, KEEP_PREVIOUS_MS);
      this.#live.write(payloadOf(settings));
    });
  }

  /** A copy for the gate, until it is disposed of. Throws SnapshotError. */
  candidate(settings: Settings): Disposable & { readonly path: string } {
    return this.#trying(() => {
      const path = mkdtempSync(join(this.#made(), "candidate-"));
      const remove = (): void => this.#remove(path);
      try {
        this.#writer(path, 0).write(payloadOf(settings));
      } catch (err) {
        remove();
        throw err;
      }
      return { path, [Symbol.dispose]: remove };
    });
  }

  [Symbol.dispose](): void {
    if (this.#root !== undefined) this.#remove(this.#root);
    this.#lock?.[Symbol.dispose]();
  }

  /** Never throws: what somebody still writes to says nothing about a version, and must not become our exit code. */
  #remove(path: string): void {
    const { remove = removeAll, logger } = this.#options;
    try {
      remove(path);
    } catch (err) {
      logger.warn("cannot remove copies", { path, err });
    }
  }

  #trying<T>(make: () => T): T {
    try {
      return make();
    } catch (err) {
      const { parent } = this.#options;
      throw new SnapshotError(`Cannot copy the watched files to ${parent}: ${describe(err)}`, {
        cause: err,
      });
    }
  }

  /** For our own user alone: there may be Secrets in it. */
  #made(): string {
    if (this.#root !== undefined) return this.#root;
    const { parent, lock } = this.#options;
    this.#sweep();
    const root = mkdtempSync(join(parent, PREFIX));
    try {
      mkdirSync(join(root, "live"));
      this.#lock = lock(join(root, LOCK));
      // Another one came between, and removes it.
      if (this.#lock === undefined) throw new Error(`${root} was taken for a killed one's`);
    } catch (err) {
      this.#remove(root);
      throw err;
    }
    this.#root = root;
    return root;
  }

  /** What was killed has left its copies, and there may be Secrets in them. */
  #sweep(): void {
    const { parent, lock, logger } = this.#options;
    for (const name of readdirSync(parent).filter((one) => one.startsWith(PREFIX))) {
      const path = join(parent, name);
      try {
        // In a directory for everybody anything may be planted. Who has no lock yet has just begun.
        if (!isOwnDirectory(path) || !readdirSync(path).includes(LOCK)) continue;
        using own = lock(join(path, LOCK));
        if (own === undefined) continue;
        removeAll(path);
        logger.info("removed copies that a killed one has left", { path });
      } catch (err) {
        logger.warn("cannot remove copies that a killed one has left", { path, err });
      }
    }
  }

  #writer(directory: string, keepPreviousMs: number): AtomicWriter {
    const { clock, random, logger } = this.#options;
    return new AtomicWriter({
      directory,
      keepPreviousMs,
      self: currentProcess(),
      clock,
      random,
      logger,
    });
  }
}

function removeAll(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

function isOwnDirectory(path: string): boolean {
  const stat = lstatSync(path);
  return stat.isDirectory() && stat.uid === process.geteuid?.();
}

/** The files of one directory as they are; those of several below the last part of each one's path. */
function payloadOf({ directories }: Settings): Payload {
  const isAlone = directories.size === 1;
  return Payload.from(
    [...directories].flatMap(([path, files]) =>
      [...files].map(
        ([name, data]) =>
          [isAlone ? name : `${basename(path)}/${name}`, { data, mode: 0o444 }] as const,
      ),
    ),
  );
}
