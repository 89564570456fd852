// Files of variables that one container of a pod writes and another starts with (`fileKeyRef`). A small part of what a shell reads:
// `NAME='value'`, comments, blank lines; the value is literal and may span lines. The writer may be hostile: the file may be a link
// to elsewhere, a pipe that never ends, or larger than the machine's memory.

import { isUtf8 } from "node:buffer";
import { constants, fstatSync, readSync } from "node:fs";
import { isErrno } from "../../base/errors.ts";
import { openBeneath } from "../../mounts/safe-path.ts";

/** The original reads lines of this length at most. */
const maxLineBytes = 65_535;
/** As much as an object may hold. The original has no limit. */
const maxFileBytes = 1_048_576;

/** The file cannot be read or understood. Says where, and never what it says there. */
export class EnvFileError extends Error {
  override readonly name = "EnvFileError";
}

/**
 * Undefined if there is no such file. Links are followed as if the root were "/", by the kernel in one step: nobody can
 * exchange a directory for a link in between. Throws EnvFileError.
 */
export function readEnvFile(root: string, path: string): Uint8Array | undefined {
  try {
    // Without O_NONBLOCK, opening a pipe waits for its writer.
    using file = openBeneath(root, path, {
      links: "in-root",
      flags: constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY,
    });
    if (!fstatSync(file.fd).isFile()) throw new EnvFileError("it is not a regular file");
    return contentOf(file.fd);
  } catch (err) {
    if (isErrno(err, "ENOENT") || isErrno(err, "ENOTDIR")) return undefined;
    if (err instanceof EnvFileError) throw err;
    throw new EnvFileError("it cannot be opened", { cause: err });
  }
}

/** Not by the size in `stat`: it may grow while it is read. */
function contentOf(fd: number): Uint8Array {
  const pieces: Buffer[] = [];
  let total = 0;
  for (;;) {
    const piece = Buffer.allocUnsafe(65_536);
    const bytes = readSync(fd, piece);
    if (bytes === 0) return Buffer.concat(pieces);
    total += bytes;
    if (total > maxFileBytes) throw new EnvFileError(`it has more than ${maxFileBytes} bytes`);
    pieces.push(piece.subarray(0, bytes));
  }
}

/**
 * The value of `key`, or undefined. The first one counts, and what comes after it is not looked at. Throws EnvFileError. An
 * empty value is a value: the original cannot tell it from a missing one.
 */
export function envFileValue(content: Uint8Array, key: string): string | undefined {
  const lines = new Lines(content);
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    const assignment = assignmentIn(line, lines.number);
    if (!assignment) continue;
    const value = assignment.start === undefined ? "" : quotedValue(assignment.start, lines);
    if (assignment.name === key) return decoded(value, lines.number);
  }
  return undefined;
}

/** One character per byte, so that limits are bytes and nothing is lost of what is no text. */
class Lines {
  readonly #text: string;
  #at = 0;
  #number = 0;

  constructor(content: Uint8Array) {
    this.#text = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString(
      "latin1",
    );
  }

  /** Of the line that `next` gave last; the first is 1. */
  get number(): number {
    return this.#number;
  }

  /** Without its end, "\n" or "\r\n". */
  next(): string | undefined {
    if (this.#at >= this.#text.length) return undefined;
    const end = this.#text.indexOf("\n", this.#at);
    const line = this.#text.slice(this.#at, end === -1 ? undefined : end);
    this.#at = end === -1 ? this.#text.length : end + 1;
    this.#number += 1;
    if (line.length > maxLineBytes) {
      throw new EnvFileError(`line ${this.#number} has more than ${maxLineBytes} bytes`);
    }
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }
}

interface Assignment {
  readonly name: string;
  /** What follows the opening quote; undefined for `NAME= 'value'`, which is empty for a shell too. */
  readonly start: string | undefined;
}

function assignmentIn(line: string, number: number): Assignment | undefined {
  const text = withoutBlanks(line);
  if (text === "" || text.startsWith("#")) return undefined;
  const equals = text.indexOf("=");
  if (equals === -1) throw malformed(number, "missing '='");
  const name = text.slice(0, equals);
  if (name === "") throw malformed(number, "empty variable name");
  if (/[ \t]$/.test(name)) throw malformed(number, "whitespace before '=' is not allowed");
  const rest = text.slice(equals + 1);
  if (/^[ \t]/.test(rest)) return { name, start: undefined };
  if (!rest.startsWith("'")) throw malformed(number, "value must be enclosed in single quotes");
  return { name, start: rest.slice(1) };
}

function quotedValue(start: string, lines: Lines): string {
  const first = lines.number;
  const parts: string[] = [];
  for (let rest: string | undefined = start; rest !== undefined; rest = lines.next()) {
    const close = rest.indexOf("'");
    if (close === -1) {
      parts.push(rest);
      continue;
    }
    const after = withoutBlanks(rest.slice(close + 1));
    if (after !== "" && !after.startsWith("#")) {
      throw malformed(lines.number, "unexpected content after closing quote");
    }
    return [...parts, rest.slice(0, close)].join("\n");
  }
  throw new EnvFileError(
    `invalid environment variable format starting at line ${first}: unclosed single quote`,
  );
}

function decoded(value: string, line: number): string {
  const bytes = Buffer.from(value, "latin1");
  if (!isUtf8(bytes)) throw new EnvFileError(`the value that ends in line ${line} is not UTF-8`);
  return bytes.toString();
}

function withoutBlanks(text: string): string {
  let at = 0;
  while (text[at] === " " || text[at] === "\t") at++;
  return text.slice(at);
}

function malformed(line: number, problem: string): EnvFileError {
  return new EnvFileError(`invalid environment variable format at line ${line}: ${problem}`);
}
