// The one error that a caller of the writer is expected to catch: it says which file failed, and
// that what was visible before still is.

import { printable } from "./printable.ts";

export class WriteError extends Error {
  override readonly name = "WriteError";
  /** Where it failed: a path inside the volume, "" for its root. */
  readonly path: string;
  /** The system's code, such as ENOSPC, when there is one. */
  readonly code: string | undefined;

  constructor(where: { directory: string; path: string }, why: string, cause?: unknown) {
    const at = where.path === "" ? where.directory : `${where.directory}/${where.path}`;
    super(`Cannot write "${printable(at)}": ${why}`, { cause });
    this.path = where.path;
    this.code = errorCode(cause);
  }

  /** Wraps what a system call threw; passes a WriteError through unchanged. */
  static from(where: { directory: string; path: string }, cause: unknown): WriteError {
    if (cause instanceof WriteError) return cause;
    const path = where.path === "" ? pathBelow(where.directory, cause) : where.path;
    const why = cause instanceof Error ? reasonOf(cause) : String(cause);
    return new WriteError({ directory: where.directory, path }, why, cause);
  }
}

/** Node's errors carry the path; when the caller knows no better, that names the file. */
function pathBelow(directory: string, cause: unknown): string {
  const path = cause instanceof Error && "path" in cause ? cause.path : undefined;
  return typeof path === "string" && path.startsWith(`${directory}/`)
    ? path.slice(directory.length + 1)
    : "";
}

/** Node's message repeats the paths after a comma; ours names the file already. */
function reasonOf(cause: Error): string {
  return errorCode(cause) === undefined
    ? cause.message
    : cause.message.replace(/, (\w+) '.*$/s, ", $1");
}

function errorCode(cause: unknown): string | undefined {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined;
}
