// The log of `driftless up`: everything goes to a file, and what somebody should look at is also said to people, in a line without
// braces. The file is written at once and never holds up anything: on a full disk lines are lost.

import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { lineForPeople } from "./line-for-people.ts";
import { terminalColour } from "./terminal-look.ts";

export interface UpLogOptions {
  readonly file: string;
  /** Messages of warnings that people are told of in another way. */
  readonly quiet: readonly string[];
  /** Where people look. */
  readonly people: { readonly isTTY?: boolean; write(text: string): unknown };
}

/** Then it is moved aside, to FILE.1: twice as much is kept at most. */
const MAX_BYTES = 10 * 1024 * 1024;

interface Line {
  readonly level: string;
  readonly message: string;
}

export class UpLog implements Disposable {
  readonly #options: UpLogOptions;
  #fd: number | undefined;
  #bytes = 0;

  constructor(options: UpLogOptions) {
    this.#options = options;
  }

  /** Throws if the file cannot be written. */
  open(): void {
    this.#fd = openSync(this.#options.file, "a", 0o600);
    this.#bytes = fstatSync(this.#fd).size;
  }

  /** One line of JSON, with its end. */
  write(line: string): void {
    this.#keep(line);
    const { level, message } = JSON.parse(line) as Line;
    const isNews =
      level === "error" || (level === "warn" && !this.#options.quiet.includes(message));
    if (isNews) this.#tell(line);
  }

  [Symbol.dispose](): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #keep(line: string): void {
    try {
      if (this.#bytes > MAX_BYTES) this.#rotate();
      if (this.#fd !== undefined) this.#bytes += writeSync(this.#fd, line);
    } catch {
      // A disk that is full, or gone, must not end what runs.
    }
  }

  #rotate(): void {
    const { file } = this.#options;
    renameSync(file, `${file}.1`);
    this[Symbol.dispose]();
    this.open();
  }

  #tell(line: string): void {
    const { people } = this.#options;
    people.write(
      `${lineForPeople(line, { hasColour: people.isTTY === true && terminalColour() })}\n`,
    );
  }
}
