// How the log lies in SQLite. `log` is the truth, in the order in which it was written; `current` finds the
// newest revision of each key that exists.

import type { Database, Row } from "./database.ts";

/** "Drft". In the header of our files, so that nobody's else are taken for ours. */
export const APPLICATION_ID = 0x44726674;

/** Of the tables below. A program opens its own version and older ones, never a newer one. */
export const SCHEMA_VERSION = 1;

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
  CREATE INDEX log_by_key ON log (key, revision);
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
