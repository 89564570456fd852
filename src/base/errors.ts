// Reading errors of unknown make: what to print, and which system error it was.

import { inspect } from "node:util";

/**
 * One line for people: the message, then the messages of its causes, and of all errors that it
 * aggregates. It never throws. It leaves out stacks: a log has them.
 */
export function describe(thrown: unknown): string {
  return describeChain(thrown, new Set());
}

function describeChain(thrown: unknown, seen: Set<unknown>): string {
  if (!(thrown instanceof Error)) {
    return typeof thrown === "string" ? thrown : inspect(thrown, { breakLength: Infinity });
  }
  seen.add(thrown);
  let text = thrown.message || thrown.name;
  if (thrown instanceof AggregateError) {
    const each = thrown.errors
      .filter((err) => !seen.has(err))
      .map((err) => describeChain(err, seen));
    text += ` (${each.join("; ")})`;
  }
  if (thrown.cause !== undefined && !seen.has(thrown.cause)) {
    const cause = describeChain(thrown.cause, seen);
    // Many wrappers repeat the message of their cause; once is enough.
    text = text.endsWith(cause) ? text : `${text}: ${cause}`;
  }
  return text;
}

/** Says whether `err` is a system error with one of these codes, such as "ENOENT". */
export function isErrno(err: unknown, ...codes: readonly string[]): err is NodeJS.ErrnoException {
  return (
    err instanceof Error &&
    "code" in err &&
    typeof err.code === "string" &&
    codes.includes(err.code)
  );
}
