// What directories and files have in common as sources: a loop that arms its watches, looks, reads what is new, and waits. A path that goes away keeps what it had,
// and is found again when it comes back.

import { addAbortListener } from "node:events";
import type { Clock } from "../../base/clock.ts";
import { describe } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { DirectoryWatch } from "../../files/directory-watch.ts";
import type { Source, SourceFile, SourceState } from "../source.ts";
import { KeptState } from "./kept-state.ts";
import { type Excludes, type Look, lookAt, type Place } from "./path-look.ts";
import { type ReadPath, readPath } from "./read-path.ts";

export interface PathSourceOptions {
  readonly name: string;
  readonly type: "directory" | "file";
  readonly path: string;
  readonly optional: boolean;
  /** Undefined: each file says by its mode and place. */
  readonly isSecret: boolean | undefined;
  /** How often it is looked at besides; half a minute if undefined. */
  readonly pollMs: number | undefined;
  /** Places below the path that do not count. */
  readonly excludes?: Excludes | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Behind the events, for what makes none: a mount over the path, a link further up. */
const NET_MS = 30_000;
/** When the system has no watches left, or the place is just changing. */
const UNWATCHED_MS = 1000;
/** Somebody who writes files one by one is given this long between two, and so long in all. */
const SETTLE_MS = 60;
const MAX_SETTLE_MS = 2000;
/** A volume that is swapped faster than it can be read. */
const MAX_ATTEMPTS = 100;

export class PathSource implements Source {
  readonly name: string;
  readonly #options: PathSourceOptions;
  readonly #state = new KeptState();
  /** Of what was last read. */
  #mark: string | undefined;
  #isDegraded = false;

  constructor(options: PathSourceOptions) {
    this.name = options.name;
    this.#options = options;
  }

  current(): SourceState {
    return this.#state.current();
  }

  onChange(handler: () => void): Disposable {
    return this.#state.onChange(handler);
  }

  async run(signal: AbortSignal): Promise<void> {
    let woken = Promise.withResolvers<void>();
    // One listener for all turns: a promise of the end would gather one more with each.
    using _end = addAbortListener(signal, () => woken.resolve());
    while (!signal.aborted) {
      woken = Promise.withResolvers<void>();
      const { resolve } = woken;
      using watches = new DisposableStack();
      // Armed first, looked at then: what happens in between is an event.
      const isWatched = this.#arm(watches, resolve);
      const isSettled = await this.#refresh(signal);
      const pollMs = this.#options.pollMs ?? NET_MS;
      const waitMs = isSettled && isWatched ? pollMs : Math.min(UNWATCHED_MS, pollMs);
      using _timer = this.#options.clock.schedule(waitMs, resolve);
      if (!signal.aborted) await woken.promise;
    }
  }

  #look(): Look {
    return lookAt(this.#options.path, this.#options.excludes);
  }

  #arm(watches: DisposableStack, onEvent: () => void): boolean {
    try {
      const { places } = this.#look();
      for (const { path, names } of places) arm(watches, { path, names }, onEvent);
      // A place that appeared while the others were armed would not be watched.
      const isSame = samePlaces(places, this.#look().places);
      this.#isDegraded = false;
      return isSame;
    } catch (err) {
      const { logger, path } = this.#options;
      if (!this.#isDegraded) logger.warn("cannot watch a path, polling instead", { path, err });
      this.#isDegraded = true;
      return false;
    }
  }

  /** False when it should be looked at again soon. */
  async #refresh(signal: AbortSignal): Promise<boolean> {
    const { path } = this.#options;
    try {
      let look = this.#look();
      if (look.mark === this.#mark && look.state !== "missing") {
        this.#state.fail(undefined);
        return true;
      }
      if (look.state === "plain" && this.#mark !== undefined)
        look = await this.#settled(look, signal);
      if (look.state === "missing") return this.#gone();
      return this.#read(look);
    } catch (err) {
      if (signal.aborted) return true;
      this.#state.fail(`cannot read ${path}: ${describe(err)}`);
      return false;
    }
  }

  #read(look: Look): boolean {
    const { path, type, excludes = new Set() } = this.#options;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const read = readPath(path, look, excludes);
      if (read === "moved") continue;
      if (read.isFile !== (type === "file")) {
        throw new Error(
          read.isFile ? "it is a file, not a directory" : "it is a directory, not a file",
        );
      }
      // The mark was taken before: what came later differs from it and is read again.
      this.#mark = look.mark;
      this.#state.know(this.#files(read));
      return true;
    }
    this.#state.fail(`${path} changes faster than it can be read`);
    return false;
  }

  #files({ files }: ReadPath): ReadonlyMap<string, SourceFile> {
    const { type, path, isSecret } = this.#options;
    const origin = `${type} ${path}`;
    return new Map(
      [...files].map(([name, { data, isPrivate }]) => [
        name,
        { data, isSecret: isSecret ?? isPrivate, origin },
      ]),
    );
  }

  /** Never again what it was: the same directory may come back with other content. */
  #gone(): boolean {
    const { type, path, optional } = this.#options;
    this.#mark = "missing";
    if (optional && this.#state.current().state === "waiting") this.#state.know(new Map());
    else if (!optional || this.#hasFiles) this.#state.fail(`there is no ${type} ${path}`);
    return true;
  }

  get #hasFiles(): boolean {
    const state = this.#state.current();
    return state.state === "known" && state.content.files.size > 0;
  }

  /** Waits until nothing has changed for a moment. */
  async #settled(first: Look, signal: AbortSignal): Promise<Look> {
    const { clock } = this.#options;
    let look = first;
    for (let waitedMs = 0; waitedMs < MAX_SETTLE_MS; waitedMs += SETTLE_MS) {
      await clock.sleep(SETTLE_MS, signal);
      const next = this.#look();
      if (next.mark === look.mark) return next;
      look = next;
    }
    return look;
  }
}

function arm(watches: DisposableStack, { path, names }: Place, onEvent: () => void): void {
  const ignores = (name: string): boolean => names !== undefined && !names.has(name);
  const watch = watches.use(new DirectoryWatch({ onEvent, ignores }));
  watch.arm([path]);
}

function samePlaces(one: readonly Place[], other: readonly Place[]): boolean {
  return one.length === other.length && one.every(({ path }, index) => path === other[index]?.path);
}
