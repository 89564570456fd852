// Says of each directory which of its versions the program has, in the words of @driftless/config, so that a node's agent can show it. Variables and files
// alike: what a program was started with is what it has.

import { type Files, type Settings, versionOfFiles } from "./settings.ts";

/** What is said about one directory. */
export interface Word {
  notice(version: string): void;
  apply(version: string): void;
  /** Undefined: no refusal stands. */
  refuse(refusal: Refusal | undefined): void;
}

interface Refusal {
  readonly version: string;
  readonly stage: string;
  readonly reason: string;
}

export class DirectoryWords {
  readonly #words: ReadonlyMap<string, Word>;
  /** Contents are values: what was computed once holds for as long as they live. */
  readonly #versions = new WeakMap<Files, string>();
  #noticed: Settings | undefined;

  /** By path. */
  constructor(words: ReadonlyMap<string, Word>) {
    this.#words = words;
  }

  /** These are known. */
  notice(settings: Settings): void {
    if (settings === this.#noticed) return;
    this.#noticed = settings;
    for (const [word, version] of this.#about(settings)) word.notice(version);
  }

  /** The program does its work with these. */
  apply(settings: Settings): void {
    for (const [word, version] of this.#about(settings)) word.apply(version);
  }

  /** What is not in `good` as it is here is refused. */
  refuse(
    settings: Settings,
    of: { readonly good: Settings | undefined; readonly stage: string; readonly reason: string },
  ): void {
    const { good, stage, reason } = of;
    const before = new Map(good === undefined ? [] : this.#about(good));
    for (const [word, version] of this.#about(settings)) {
      if (before.get(word) !== version) word.refuse({ version, stage, reason });
    }
  }

  /** Something else is wanted than what was refused. */
  relent(): void {
    for (const word of this.#words.values()) word.refuse(undefined);
  }

  /** A directory that is both watched and a source of variables may be of two versions after going back: then there is nothing to be said. */
  #about({ environment, directories }: Settings): readonly (readonly [Word, string])[] {
    return [...this.#words].flatMap(([path, word]) => {
      const found = [environment.get(path), directories.get(path)].filter(
        (files) => files !== undefined,
      );
      const [version, ...others] = new Set(found.map((files) => this.#versionOf(files)));
      return version === undefined || others.length > 0 ? [] : [[word, version] as const];
    });
  }

  #versionOf(files: Files): string {
    let version = this.#versions.get(files);
    if (version === undefined) {
      version = versionOfFiles(files);
      this.#versions.set(files, version);
    }
    return version;
  }
}
