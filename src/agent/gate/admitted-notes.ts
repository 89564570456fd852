// Which content of each object that policies choose was let through last on this node: its version, in a small file, so that an agent that
// starts again goes on with the same. Contents are not kept here: the server has them.

import { readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { describe, isErrno } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { type ObjectReference, referenceKey } from "../objects/config-object.ts";

interface NotesFile {
  readonly admitted: Readonly<Record<string, string>>;
}

export class AdmittedNotes {
  readonly #file: string;
  readonly #logger: Logger;
  /** By referenceKey. Undefined before the first question. */
  #notes: Map<string, string> | undefined;
  /** Whoever waits for the next write to end. */
  #waiting: (() => void)[] = [];
  #isDirty = false;
  #isWriting = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: string, logger: Logger) {
    this.#file = file;
    this.#logger = logger;
  }

  get(of: ObjectReference): string | undefined {
    return this.#all().get(referenceKey(of));
  }

  /** Settles when it is on disk, or cannot be: that is logged, and keeps nothing from going on. */
  put(of: ObjectReference, version: string): Promise<void> {
    const notes = this.#all();
    const key = referenceKey(of);
    if (notes.get(key) === version) return Promise.resolve();
    notes.set(key, version);
    return this.#write();
  }

  drop(of: ObjectReference): void {
    if (this.#all().delete(referenceKey(of))) void this.#write();
  }

  /** Settles when all that was noted is on disk, or cannot be. */
  flushed(): Promise<void> {
    return this.#writing;
  }

  #all(): Map<string, string> {
    this.#notes ??= this.#read();
    return this.#notes;
  }

  #read(): Map<string, string> {
    try {
      const { admitted } = JSON.parse(readFileSync(this.#file, "utf8")) as NotesFile;
      const entries = Object.entries(admitted);
      return new Map(entries.filter(([, version]) => typeof version === "string"));
    } catch (err) {
      if (!isErrno(err, "ENOENT")) {
        this.#logger.warn("cannot read what was let through before", { why: describe(err) });
      }
      return new Map();
    }
  }

  /** What is noted while a write is under way goes with the next one, all together. */
  #write(): Promise<void> {
    this.#isDirty = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    if (!this.#isWriting) this.#writing = this.#writeAll();
    return promise;
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#isDirty) {
      this.#isDirty = false;
      const waiting = this.#waiting;
      this.#waiting = [];
      try {
        await this.#replace(JSON.stringify({ admitted: Object.fromEntries(this.#all()) }));
      } catch (err) {
        this.#logger.error("cannot note what was let through", { why: describe(err) });
      }
      for (const resolve of waiting) resolve();
    }
    this.#isWriting = false;
  }

  async #replace(text: string): Promise<void> {
    const temporary = `${this.#file}.new`;
    await using file = await open(temporary, "w", 0o600);
    await file.writeFile(text);
    await file.sync();
    await rename(temporary, this.#file);
  }
}
