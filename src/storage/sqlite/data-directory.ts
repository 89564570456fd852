// The directory that one store has to itself: the database, SQLite's two files beside it, and a lock. The lock
// is a lock of the kernel on an empty file, taken through SQLite because Node has none: it is gone with the
// process that held it, however that ended.

import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type Database,
  openForLocking,
  openForWriting,
  openNew,
  sqliteCode,
  syncPath,
} from "./database.ts";
import { DatabaseRefusedError, damaged, inUse, noRoom } from "./database-refused-error.ts";
import { createSchema, upgradeSchema } from "./schema.ts";
import { verifyDatabase } from "./verify-database.ts";

export function databaseFile(directory: string): string {
  return join(directory, "driftless.db");
}

function lockFile(directory: string): string {
  return join(directory, "driftless.lock");
}

export interface LockedDatabase {
  readonly db: Database;
  /** Closes the database, then gives the lock back. */
  close(): void;
}

/**
 * Opens the database of a directory for writing, and makes both if need be. Throws a DatabaseRefusedError,
 * with nothing changed, for a directory in use, a full disk, and a database that is not whole, not ours or too new.
 */
export function openDataDirectory(directory: string): LockedDatabase {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = databaseFile(directory);
  try {
    return openLocked(file, lockDirectory(directory));
  } catch (err) {
    throw sqliteCode(err) === "full" ? noRoom(file, err) : err;
  }
}

function openLocked(file: string, lock: Database): LockedDatabase {
  try {
    if (existsSync(file)) verifyDatabase(file);
    else createDatabase(file);
    const db = openUpgraded(file);
    return {
      db,
      close() {
        db.close();
        lock.close();
      },
    };
  } catch (err) {
    lock.close();
    throw err;
  }
}

function openUpgraded(file: string): Database {
  const db = openForWriting(file);
  try {
    upgradeSchema(db);
    return db;
  } catch (err) {
    db.close();
    throw err;
  }
}

/** Whether a store has the directory now. Makes no lock where none is. */
export function isDirectoryInUse(directory: string): boolean {
  if (!existsSync(lockFile(directory))) return false;
  try {
    lockDirectory(directory).close();
    return false;
  } catch (err) {
    if (err instanceof DatabaseRefusedError) return true;
    throw err;
  }
}

/** Throws a DatabaseRefusedError when another store has the directory. Closing it gives it back. */
export function lockDirectory(directory: string): Database {
  const lock = openForLocking(lockFile(directory));
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (err) {
    lock.close();
    if (sqliteCode(err) === "busy") throw inUse(databaseFile(directory), err);
    throw err;
  }
}

/**
 * Makes the database under another name first, so that there never is half a one: an empty or short file of
 * this name is then always a damaged one, and never the leftover of a crash.
 */
function createDatabase(file: string): void {
  if (existsSync(`${file}-wal`)) {
    throw damaged(file, "it is missing, but its write-ahead log is there");
  }
  const unfinished = `${file}.new`;
  rmSync(unfinished, { force: true });
  const db = openNew(unfinished);
  try {
    createSchema(db, 0n);
  } finally {
    db.close();
  }
  syncPath(unfinished);
  renameSync(unfinished, file);
  syncPath(dirname(file));
}
