// Hears that something has happened in some directories, once, and is deaf from then on until it is armed again. Whoever looks after each
// event loses nothing if it arms first and looks then; and whoever makes a storm of events in such a directory keeps nobody busy but himself.

import { type FSWatcher, watch } from "node:fs";

export interface DirectoryWatchOptions {
  /** Something has happened. Also when a watch has failed: a look says what is the matter. */
  readonly onEvent: () => void;
  /** Events of these names do not matter, as long as they are few. */
  readonly ignores: (name: string) => boolean;
}

/** More events than an honest program makes between two that matter. */
const MAX_IGNORED = 256;

export class DirectoryWatch implements Disposable {
  readonly #options: DirectoryWatchOptions;
  #watchers: FSWatcher[] = [];
  #ignored = 0;

  constructor(options: DirectoryWatchOptions) {
    this.#options = options;
  }

  /** In place of all that were watched before. Throws what the system says, and then hears nothing. */
  arm(directories: readonly string[]): void {
    this[Symbol.dispose]();
    this.#ignored = 0;
    try {
      for (const directory of directories) this.#watch(directory);
    } catch (err) {
      this[Symbol.dispose]();
      throw err;
    }
  }

  get isArmed(): boolean {
    return this.#watchers.length > 0;
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }

  #watch(directory: string): void {
    const watcher = watch(directory, { persistent: false });
    this.#watchers.push(watcher);
    watcher.on("change", (_, name) => {
      if (typeof name === "string" && this.#options.ignores(name) && this.#ignored++ < MAX_IGNORED)
        return;
      this.#fire(watcher);
    });
    watcher.on("error", () => this.#fire(watcher));
  }

  #fire(watcher: FSWatcher): void {
    if (!this.#watchers.includes(watcher)) return;
    this[Symbol.dispose]();
    this.#options.onEvent();
  }
}
