// The only user of `node:sqlite`: opening connections the way this store needs them, and reading SQLite's
// errors. Everything here blocks: call it in a thread of its own, or in a program with nothing else to do.

import { closeSync, fsyncSync, openSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";

export type Database = DatabaseSync;
export type Statement = StatementSync;
export type Row = readonly unknown[];

/** A lock of somebody else is normally held for a moment; after this it is an error. */
export const BUSY_TIMEOUT_MS = 1000;
/** 4 MiB. Larger ones gain no throughput, and keep the writes that have to wait for them waiting longer. */
const CHECKPOINT_PAGES = 1000;
/**
 * Of each connection. SQLite's own 2 MiB make a read of many values go back to the same pages again and
 * again.
 */
const CACHE_KIB = 32 * 2 ** 10;
/** What is left of the write-ahead log after a checkpoint that could empty it. */
const WAL_KEPT_BYTES = 64 * 2 ** 20;

/** For the one writer: every commit is on disk when it returns. */
export function openForWriting(file: string): Database {
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA secure_delete = ON;
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
      PRAGMA journal_size_limit = ${WAL_KEPT_BYTES};
      PRAGMA cache_size = -${CACHE_KIB};
    `);
  } catch (err) {
    db.close();
    throw err;
  }
  return db;
}

/** For readers beside a writer, of this or another process. It changes nothing in the database. */
export function openForReading(file: string): Database {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  db.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
  return db;
}

/** For a file that nobody writes and that has no write-ahead log. Makes no file beside it. */
export function openUnchanging(file: string): Database {
  const url = pathToFileURL(file);
  url.searchParams.set("immutable", "1");
  return new DatabaseSync(url, { readOnly: true });
}

/** For holding a lock on a file that is otherwise empty. It never waits for the lock. */
export function openForLocking(file: string): Database {
  return new DatabaseSync(file, { timeout: 0 });
}

/**
 * For filling a new file that nobody else sees yet. Nothing is safe on disk before it is closed and synced: a
 * crash leaves a file to throw away.
 */
export function openNew(file: string): Database {
  // The database holds secrets, and the files beside it get the same mode.
  closeSync(openSync(file, "wx", 0o600));
  const db = new DatabaseSync(file);
  db.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
  return db;
}

/** Makes the contents of a file, or the names in a directory, survive a power cut. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A statement whose rows are arrays, and whose integers are bigints. */
export function prepare(db: Database, sql: string): Statement {
  return db.prepare(sql, { returnArrays: true, readBigInts: true });
}

/** The one row of a query that always has one. */
export function onlyRow(
  statement: Statement,
  ...values: readonly (string | bigint | Uint8Array)[]
): Row {
  const row: unknown = statement.get(...values);
  if (!Array.isArray(row)) throw new Error("A query that always has a row had none");
  return row;
}

/** SQLite's primary result codes that somebody has to tell apart. */
const codes = { 5: "busy", 13: "full" } as const;
/** An input or output error by its primary code; but there was no room for the file that connections share. */
const IOERR_SHMSIZE = 4874;

export type SqliteCode = (typeof codes)[keyof typeof codes] | "other";

/** What kind of error SQLite threw; undefined when it was not SQLite. */
export function sqliteCode(err: unknown): SqliteCode | undefined {
  if (!(err instanceof Error && "errcode" in err && typeof err.errcode === "number")) {
    return undefined;
  }
  if (err.errcode === IOERR_SHMSIZE) return "full";
  // The extended code has the primary one in its lowest byte.
  const primary = err.errcode & 0xff;
  return primary in codes ? codes[primary as keyof typeof codes] : "other";
}
