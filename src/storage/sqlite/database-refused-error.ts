// Why a database was not opened. Nothing of it was changed then.

export type RefusalReason = "damaged" | "newer" | "foreign" | "inUse" | "full" | "exists";

/** For people: says what the file is, and what to do. */
export class DatabaseRefusedError extends Error {
  override readonly name = "DatabaseRefusedError";
  readonly reason: RefusalReason;
  readonly file: string;

  constructor(refusal: Refusal, options?: ErrorOptions) {
    super(refusal.message, options);
    this.reason = refusal.reason;
    this.file = refusal.file;
  }
}

/** The same as plain data, to cross from one thread to another. */
export interface Refusal {
  readonly reason: RefusalReason;
  readonly file: string;
  readonly message: string;
}

const KEPT = "Nothing was changed.";

/** Something in it is not as SQLite or this program wrote it; `what` says what. */
export function damaged(file: string, what: string, cause?: unknown): DatabaseRefusedError {
  const message =
    `Cannot open "${file}": it is damaged (${what}). ${KEPT} ` +
    "Move it away and restore a backup; keep it, because much of it may be readable with SQLite's .recover";
  return new DatabaseRefusedError({ reason: "damaged", file, message }, { cause });
}

export function newer(file: string, found: number, known: number): DatabaseRefusedError {
  const message =
    `Cannot open "${file}": a newer version of Driftless wrote it (schema ${found}, this one knows ${known}). ` +
    `${KEPT} Run that version, or restore a backup that this one made`;
  return new DatabaseRefusedError({ reason: "newer", file, message });
}

/** `what` says what it is instead. */
export function foreign(file: string, what: string): DatabaseRefusedError {
  const message =
    `Cannot open "${file}": it is ${what}, not a database of Driftless. ${KEPT} ` +
    "Move it away, or use another data directory";
  return new DatabaseRefusedError({ reason: "foreign", file, message });
}

export function inUse(file: string, cause: unknown): DatabaseRefusedError {
  const message =
    `Cannot open "${file}": another process is using this data directory. ${KEPT} ` +
    "Stop that process, or use another data directory";
  return new DatabaseRefusedError({ reason: "inUse", file, message }, { cause });
}

/** A store that runs can do with less; one that starts needs a little of its own. */
export function noRoom(file: string, cause: unknown): DatabaseRefusedError {
  const message =
    `Cannot open "${file}": the disk is full, and SQLite needs 32 KiB to open a database. ${KEPT} ` +
    "Make room, then start again";
  return new DatabaseRefusedError({ reason: "full", file, message }, { cause });
}

/** A file was to be overwritten that must stay; `what` says why. */
export function notReplaceable(file: string, what: string, cause?: unknown): DatabaseRefusedError {
  const message = `Cannot replace "${file}": ${what}. ${KEPT} Choose another place`;
  return new DatabaseRefusedError({ reason: "exists", file, message }, { cause });
}

/** A new file was to be made where one is. */
export function exists(file: string): DatabaseRefusedError {
  const message = `Cannot make "${file}": there is one already. ${KEPT} Move it away, or choose another place`;
  return new DatabaseRefusedError({ reason: "exists", file, message });
}
