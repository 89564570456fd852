// The log of `driftless up`: everything goes to a file, and what somebody should look at is also said to people, in a line without
// braces. The file is written at once and never holds up anything: on a full disk lines are lost.

import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { inspect, styleText } from "node:util";
import { describe } from "../base/errors.ts";

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
  readonly time?: string;
  readonly err?: unknown;
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
    people.write(`${lineForPeople(line, people.isTTY === true)}\n`);
  }
}

/** What a line of the log says, without its time. */
export function lineForPeople(line: string, hasColour: boolean): string {
  const { level, message, time: _, err, ...fields } = JSON.parse(line) as Line;
  const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
    hasColour ? styleText(style, text, { validateStream: false }) : text;
  const named = Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`);
  const why = err === undefined ? "" : `: ${reasonOf(err)}`;
  const head = paint(level === "error" ? "red" : "yellow", level);
  const rest = named.length === 0 ? "" : `  ${paint("dim", named.join(" "))}`;
  return `${head}  ${message}${why}${rest}`;
}

/** As pino writes errors. */
function reasonOf(err: unknown): string {
  const { message } = err as { readonly message?: unknown };
  return typeof message === "string" ? message : describe(err);
}

function shown(value: unknown): string {
  if (typeof value === "string") return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  return inspect(value, { breakLength: Number.POSITIVE_INFINITY });
}
