// How the log lies in SQLite. `log` is the truth, in the order in which it was written; `current` finds the
// newest revision of each key that exists.

import { type Database, onlyRow, prepare, type Row, sqliteCode } from "./database.ts";

/** "Drft". In the header of our files, so that nobody's else are taken for ours. */
export const APPLICATION_ID = 0x44726674;

/** Of the tables below. A program opens its own version and older ones, never a newer one. */
export const SCHEMA_VERSION = 2;

// `value` is the last column, because it may be large: the others are then found without reading it.
// `probe` is written to, and emptied again, to see whether there is room on the disk.
// `previous` is the revision that this one replaced, and has no value when it created the key.
const TABLES = `
  CREATE TABLE log (
    revision INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    created INTEGER NOT NULL,
    previous INTEGER,
    deleted INTEGER NOT NULL,
    value BLOB
  ) STRICT;
  CREATE TABLE current (key TEXT PRIMARY KEY, revision INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE probe (value BLOB) STRICT;
`;

/**
 * Makes the tables of an empty store. Its past is forgotten up to `compacted`, and that is the revision
 * that it is at.
 */
export function createSchema(db: Database, compacted: bigint): void {
  db.exec(TABLES);
  const insert = db.prepare("INSERT INTO meta (name, value) VALUES (?, ?)");
  insert.run("compacted", compacted);
  insert.run("swept", compacted);
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
}

/**
 * Brings the tables of an older version to this one. Version 1 had an index of the log by key, which made every write
 * dearer; the past is found without it. A disk that is too full for this is no reason not to start: what is there works
 * as well, and the next start tries again.
 */
export function upgradeSchema(db: Database): void {
  const [version] = onlyRow(prepare(db, "PRAGMA user_version")) as [bigint];
  if (Number(version) >= SCHEMA_VERSION) return;
  try {
    db.exec(
      `BEGIN IMMEDIATE; DROP INDEX IF EXISTS log_by_key; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`,
    );
  } catch (err) {
    if (db.isTransaction) db.exec("ROLLBACK");
    if (sqliteCode(err) !== "full") throw err;
  }
}

export interface Progress {
  /** Of the newest write. */
  readonly revision: bigint;
  /** The past up to it is forgotten. */
  readonly compacted: bigint;
  /** The rows of the past up to it are removed. Less than `compacted` while that is under way. */
  readonly swept: bigint;
}

/**
 * Its row is for progressOf(). The newest write may have been a deletion that is swept already: then it is
 * not in the log, but what is compacted reaches at least as far.
 */
export const PROGRESS = `
  SELECT max(newest, compacted), compacted, swept FROM (SELECT
    coalesce((SELECT max(revision) FROM log), 0) AS newest,
    (SELECT value FROM meta WHERE name = 'compacted') AS compacted,
    (SELECT value FROM meta WHERE name = 'swept') AS swept)
`;

export function progressOf(row: Row): Progress {
  const [revision, compacted, swept] = row as [bigint, bigint, bigint];
  return { revision, compacted, swept };
}
