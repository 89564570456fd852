// Looks at a database before it is opened for writing, without changing a byte: SQLite would repair, or
// overwrite, what it takes for the leftover of a crash. What is not clearly ours and whole is refused.

import { closeSync, openSync, readSync, statSync } from "node:fs";
import { isErrno } from "../../base/errors.ts";
import {
  type Database,
  onlyRow,
  openForReading,
  openUnchanging,
  prepare,
  type Row,
  sqliteCode,
} from "./database.ts";
import { DatabaseRefusedError, damaged, foreign, newer } from "./database-refused-error.ts";
import { APPLICATION_ID, PROGRESS, progressOf, SCHEMA_VERSION } from "./schema.ts";

/** SQLite's header: https://www.sqlite.org/fileformat2.html#the_database_header */
const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;

/**
 * The structure of every page is looked at in databases up to this size, which takes a fraction of a second.
 * Larger ones are judged by their header and length: a start must not take minutes.
 */
const MAX_CHECKED_BYTES = 256 * 2 ** 20;

export interface VerifyOptions {
  /** Look at every page and index, whatever the size. */
  readonly thorough?: boolean;
}

/**
 * Throws a DatabaseRefusedError unless the file is a whole database of this program. No connection of this
 * process may have it open: closing a file drops SQLite's locks on it.
 */
export function verifyDatabase(file: string, { thorough = false }: VerifyOptions = {}): void {
  verifyHeader(file);
  const db = hasLog(file) ? openForReading(file) : openUnchanging(file);
  try {
    // Once more, because the newest header may be in the log.
    verifyOpen(file, db);
    verifyContents(file, db, thorough);
  } catch (err) {
    throw asDamage(file, err);
  } finally {
    db.close();
  }
}

/** For a database that may be in use, also by this process: asks SQLite only. */
export function verifyOpen(file: string, db: Database): void {
  try {
    const [id] = prepare(db, "PRAGMA application_id").get() as unknown as [bigint];
    const [version] = prepare(db, "PRAGMA user_version").get() as unknown as [bigint];
    judge(file, { id: Number(id), version: Number(version) });
  } catch (err) {
    throw asDamage(file, err);
  }
}

function verifyHeader(file: string): void {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, "r");
  let length: number;
  try {
    length = readSync(descriptor, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(descriptor);
  }
  if (length === 0) throw damaged(file, "it is empty");
  if (!header.toString("latin1").startsWith(MAGIC)) {
    throw foreign(file, "no SQLite database, or the beginning of one is damaged,");
  }
  if (length < HEADER_BYTES) throw damaged(file, `it ends after ${length} bytes`);
  judge(file, {
    id: header.readInt32BE(APPLICATION_ID_AT),
    version: header.readInt32BE(USER_VERSION_AT),
  });
}

function judge(file: string, { id, version }: { id: number; version: number }): void {
  if (id !== APPLICATION_ID) throw foreign(file, "a SQLite database of another program");
  if (version > SCHEMA_VERSION) throw newer(file, version, SCHEMA_VERSION);
  if (version < 1) throw damaged(file, `its schema has the version ${version}`);
}

function verifyContents(file: string, db: Database, thorough: boolean): void {
  const { size } = statSync(file);
  const [pages] = prepare(db, "PRAGMA page_count").get() as unknown as [bigint];
  const [pageBytes] = prepare(db, "PRAGMA page_size").get() as unknown as [bigint];
  const expected = Number(pages * pageBytes);
  // With a log the rest of the file may still be in there.
  if (size < expected && !hasLog(file)) {
    throw damaged(file, `it has ${size} bytes of ${expected}`);
  }
  if (thorough || expected <= MAX_CHECKED_BYTES) {
    const check = thorough ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)";
    const [found] = prepare(db, check).get() as unknown as [string];
    if (found !== "ok") throw damaged(file, found.replaceAll("\n", " "));
  }
  verifyProgress(file, onlyRow(prepare(db, PROGRESS)));
}

function verifyProgress(file: string, row: Row): void {
  if (!row.every((value) => typeof value === "bigint")) {
    throw damaged(file, "its table meta lacks a row");
  }
  const { revision, compacted, swept } = progressOf(row);
  if (swept < 0n || swept > compacted || compacted > revision) {
    throw damaged(
      file,
      `it is swept up to ${swept}, compacted up to ${compacted}, and at ${revision}`,
    );
  }
}

/** Whether there is a write-ahead log with something in it. */
function hasLog(file: string): boolean {
  try {
    return statSync(`${file}-wal`).size > 0;
  } catch (err) {
    if (isErrno(err, "ENOENT")) return false;
    throw err;
  }
}

/** Whatever SQLite cannot read here was not written by this program as it is. */
function asDamage(file: string, err: unknown): unknown {
  if (err instanceof DatabaseRefusedError || sqliteCode(err) === undefined) return err;
  // Both are about the moment and not about the file.
  if (sqliteCode(err) === "busy" || sqliteCode(err) === "full") return err;
  return damaged(file, err instanceof Error ? err.message : String(err), err);
}
