// Errors of the launcher in the words that users know from other runtimes: "exec: …: no such file or directory".

import { getSystemErrorMap } from "node:util";

/** Why the container cannot start, as its user will read it. */
export class LaunchError extends Error {
  override readonly name = "LaunchError";
}

/** "no such file or directory" for ENOENT; the whole message for what is not a system error. */
export function reasonOf(err: unknown): string {
  if (!(err instanceof Error)) {
    return String(err);
  }
  const errno = "errno" in err && typeof err.errno === "number" ? err.errno : undefined;
  const known = errno === undefined ? undefined : getSystemErrorMap().get(errno);
  return known ? (goTexts[known[0]] ?? known[1]) : err.message;
}

/** Where Node's words are not those of the C library. */
const goTexts: Readonly<Record<string, string>> = {
  EINVAL: "invalid argument",
  ENOTDIR: "not a directory",
  EISDIR: "is a directory",
  ELOOP: "too many levels of symbolic links",
  EROFS: "read-only file system",
  ENOEXEC: "exec format error",
  E2BIG: "argument list too long",
};

/** Runs a step; its failure becomes "<what>: <reason>". */
export function step<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (err) {
    if (err instanceof LaunchError) {
      throw err;
    }
    throw new LaunchError(`${what}: ${reasonOf(err)}`, { cause: err });
  }
}
