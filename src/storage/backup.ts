// Backups: one file with the keys of a store as of one revision, whatever the store. It is a SQLite
// database with the schema of the SQLite store, so a backup of one store can be restored into another.

import { existsSync, mkdirSync, statSync } from "node:fs";
import { databaseFile, lockDirectory } from "./sqlite/data-directory.ts";
import { openForWriting, openUnchanging, syncPath } from "./sqlite/database.ts";
import { notReplaceable } from "./sqlite/database-refused-error.ts";
import { LogReader } from "./sqlite/log-reader.ts";
import { LogWriter } from "./sqlite/log-writer.ts";
import {
  copyDatabase,
  makeFile,
  type NewFileOptions,
  SnapshotWriter,
  summarize,
} from "./sqlite/snapshot-file.ts";
import { verifyDatabase } from "./sqlite/verify-database.ts";
import type { Revision, Store, StoredValue } from "./store.ts";

/** Small enough that neither side holds much at a time. */
const ITEMS_PER_PAGE = 500;

/**
 * A restored store goes on this far beyond its backup. Nobody may have seen its new revisions before with
 * other contents, and so much is not written between a backup and its restoration. Whoever knows revisions
 * of the time between is told to list again.
 */
const RESTORE_SKIPS: Revision = 1_000_000_000n;

export interface Backup {
  /** What it contains is the state of the store as of this. */
  readonly revision: Revision;
  readonly keys: number;
}

/**
 * Backs up the SQLite store in `directory`, also while another process runs it: that goes on writing. Blocks
 * this thread. The file is whole and checked, or it is not there. It holds secrets, and only its owner can
 * read it.
 */
export async function backupDirectory(directory: string, target: NewFileOptions): Promise<Backup> {
  const source = databaseFile(directory);
  if (!existsSync(source)) throw new Error(`Cannot back up "${source}": there is no such file`);
  if (isSameFile(source, target.file)) {
    throw notReplaceable(target.file, "it is the database that is to be backed up");
  }
  await makeFile(target, (unfinished) => copyDatabase(source, unfinished));
  return summarize(target.file);
}

/** Backs up any store, through its contract. The file is as that of backupDirectory(). */
export async function backupStore(store: Store, target: NewFileOptions): Promise<Backup> {
  const revision = await store.revision();
  await makeFile(target, async (unfinished) => {
    using snapshot = new SnapshotWriter(unfinished, revision);
    for await (const items of pagesOf((from) =>
      store.range({ prefix: "", ...from, limit: ITEMS_PER_PAGE, revision }),
    )) {
      snapshot.add(items);
    }
    snapshot.finish();
  });
  return summarize(target.file);
}

/**
 * Makes a backup the SQLite store of a directory that has none. Keys keep their revisions; those of new
 * writes are far greater than all that the old store can have given. Throws a DatabaseRefusedError, with
 * nothing changed, for a file that is not a whole backup, and for a directory that is in use or has a
 * database.
 */
export async function restoreDirectory(file: string, directory: string): Promise<Backup> {
  verifyDatabase(file, { thorough: true });
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(directory);
  try {
    await makeFile({ file: databaseFile(directory) }, (unfinished) => {
      copyDatabase(file, unfinished);
      skipRevisions(unfinished);
    });
  } finally {
    lock.close();
  }
  return summarize(file);
}

/**
 * Writes the keys of a backup into a running store that has none. Revisions are those that the store gives: one
 * who knows those of the old store has to list again.
 */
export async function restoreStore(file: string, store: Store): Promise<Backup> {
  verifyDatabase(file, { thorough: true });
  const { items: existing } = await store.range({ prefix: "", limit: 1 });
  if (existing.length > 0) {
    throw new Error(
      `Cannot restore "${file}": the store has keys already; restore into an empty one`,
    );
  }
  const db = openUnchanging(file);
  try {
    const log = new LogReader(db);
    for await (const items of pagesOf(async (from) =>
      log.range({ prefix: "", ...from, limit: ITEMS_PER_PAGE }),
    )) {
      await Promise.all(items.map((item) => restoreItem(file, store, item)));
    }
  } finally {
    db.close();
  }
  return summarize(file);
}

/** Whatever its name: links too lead to the same file. */
function isSameFile(one: string, other: string): boolean {
  if (!existsSync(other)) return false;
  const [a, b] = [statSync(one, { bigint: true }), statSync(other, { bigint: true })];
  return a.dev === b.dev && a.ino === b.ino;
}

async function restoreItem(file: string, store: Store, { key, value }: StoredValue): Promise<void> {
  const { ok } = await store.create(key, value);
  if (!ok)
    throw new Error(`Cannot restore "${file}": somebody else has written "${key}" meanwhile`);
}

function skipRevisions(file: string): void {
  const db = openForWriting(file);
  try {
    const log = new LogWriter(db);
    log.skipTo(log.revision + RESTORE_SKIPS);
  } finally {
    db.close();
  }
  syncPath(file);
}

/** Pages until there are no more. */
async function* pagesOf(
  read: (from: {
    readonly after?: string;
  }) => Promise<{ items: readonly StoredValue[]; remaining: number }>,
): AsyncGenerator<readonly StoredValue[]> {
  // The first page comes after nothing, not after "": that may be a key too.
  for (let from: { after?: string } = {}, more = true; more; ) {
    const { items, remaining } = await read(from);
    yield items;
    const last = items.at(-1);
    if (last !== undefined) from = { after: last.key };
    more = remaining > 0;
  }
}
