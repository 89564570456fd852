// Databases that nobody writes any more: copies, and snapshots of the keys of any store. They have the same
// schema as the store's own, so that one can become the other.

import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Revision, StoredValue } from "../store.ts";
import { isDirectoryInUse } from "./data-directory.ts";
import {
  type Database,
  onlyRow,
  openForReading,
  openNew,
  openUnchanging,
  prepare,
  syncPath,
} from "./database.ts";
import { exists, notReplaceable } from "./database-refused-error.ts";
import { createSchema, PROGRESS, progressOf } from "./schema.ts";
import { verifyDatabase, verifyOpen } from "./verify-database.ts";

export interface NewFileOptions {
  readonly file: string;
  /**
   * Replaces what is there, unless it is a database in use or with a log beside it. Otherwise an existing
   * file is refused.
   */
  readonly overwrite?: boolean;
}

/**
 * Makes a file whole or not at all: `fill` gets another name, which becomes the file's when everything is
 * on disk and was read back. Refuses an existing file before and after `fill`.
 */
export async function makeFile(
  { file, overwrite = false }: NewFileOptions,
  fill: (unfinished: string) => void | Promise<void>,
): Promise<void> {
  const refuseExisting = (): void => {
    if (overwrite) refuseIrreplaceable(file);
    else if (existsSync(file) || existsSync(`${file}-wal`)) throw exists(file);
  };
  refuseExisting();
  const unfinished = `${file}.new`;
  removeDatabase(unfinished);
  try {
    await fill(unfinished);
    verifyDatabase(unfinished, { thorough: true });
    refuseExisting();
    renameSync(unfinished, file);
    syncPath(dirname(file));
  } finally {
    removeDatabase(unfinished);
  }
}

/** A log that is left beside the file would be replayed into the new one, and destroy it. */
function refuseIrreplaceable(file: string): void {
  for (const log of [`${file}-wal`, `${file}-journal`]) {
    if (existsSync(log))
      throw notReplaceable(file, `it has a log, "${log}", that would be taken for the new one's`);
  }
  if (existsSync(file) && isDirectoryInUse(dirname(file))) {
    throw notReplaceable(file, "a running store uses its directory");
  }
}

/** With what SQLite keeps beside it: an old log would be taken for one of the next file of that name. */
function removeDatabase(file: string): void {
  for (const part of ["", "-wal", "-shm", "-journal"]) rmSync(file + part, { force: true });
}

/** Copies a database, also one that another process writes to, as of one moment. */
export function copyDatabase(from: string, to: string): void {
  const source = openForReading(from);
  try {
    verifyOpen(from, source);
    const target = openNew(to);
    target.close();
    prepare(source, "VACUUM INTO ?").run(to);
  } finally {
    source.close();
  }
  syncPath(to);
}

/** Fills a new file with the keys of a store as of `revision`. */
export class SnapshotWriter {
  readonly #file: string;
  readonly #db: Database;

  constructor(file: string, revision: Revision) {
    this.#file = file;
    this.#db = openNew(file);
    createSchema(this.#db, revision);
    this.#db.exec("BEGIN");
  }

  add(items: readonly StoredValue[]): void {
    const append = prepare(
      this.#db,
      "INSERT INTO log (revision, key, created, deleted, value) VALUES (?, ?, ?, 0, ?)",
    );
    const point = prepare(this.#db, "INSERT INTO current (key, revision) VALUES (?, ?)");
    for (const { key, revision, createRevision, value } of items) {
      append.run(revision, key, createRevision, value);
      point.run(key, revision);
    }
  }

  finish(): void {
    this.#db.exec("COMMIT");
    this.#db.close();
    syncPath(this.#file);
  }

  [Symbol.dispose](): void {
    if (this.#db.isOpen) this.#db.close();
  }
}

/** The revision that a database is at, and how many keys it has. */
export function summarize(file: string): { revision: Revision; keys: number } {
  const db = openUnchanging(file);
  try {
    const { revision } = progressOf(onlyRow(prepare(db, PROGRESS)));
    const [keys] = onlyRow(prepare(db, "SELECT count(*) FROM current")) as [bigint];
    return { revision, keys: Number(keys) };
  } finally {
    db.close();
  }
}
