// Appends to the log, one transaction per group of writes. All statements are prepared once; a write costs
// three of them.

import type { Revision, StoredValue } from "../store.ts";
import { BUSY_TIMEOUT_MS, type Database, onlyRow, prepare, type Statement } from "./database.ts";
import { PROGRESS, progressOf } from "./schema.ts";

/** Expected of a key that must not exist. No revision is negative. */
export const ABSENT: Revision = -1n;

export interface Write {
  readonly key: string;
  /** Undefined deletes the key. */
  readonly value: Uint8Array | undefined;
  /** The revision that the key has to have, or ABSENT. */
  readonly expected: Revision;
}

/** How a key was before a write. */
export type Before = Omit<StoredValue, "key">;

export interface Written {
  /** 0 when the key was not as expected and nothing was written. */
  readonly revision: Revision;
  readonly before: Before | undefined;
}

/**
 * Revisions whose superseded rows are removed at a time, and where their values end it earlier: a few
 * milliseconds, for which writes wait.
 */
const SWEPT_PER_SLICE = 200n;
const SWEPT_BYTES_PER_SLICE = 4 * 2 ** 20;

/**
 * A checkpoint cannot empty the write-ahead log while somebody reads from it. Beyond this size, the writer
 * waits for those who do: 64 MiB.
 */
const MAX_LOG_PAGES = 16_384n;
/** How long it waits. A reader that takes longer, such as a backup, is waited for again later. */
const RESTART_TIMEOUT_MS = 100;
/** How much is written between two looks at that size. A write is counted with the pages that it touches. */
const LOOK_AFTER_BYTES = 16 * 2 ** 20;
const BYTES_PER_WRITE = 16 * 2 ** 10;

/** Most objects are smaller. */
const PROBE_BYTES = 64 * 2 ** 10;

export class LogWriter {
  readonly #db: Database;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #before: Statement;
  readonly #append: Statement;
  readonly #point: Statement;
  readonly #unpoint: Statement;
  readonly #setMeta: Statement;
  readonly #replacedSizes: Statement;
  readonly #sweepReplaced: Statement;
  readonly #sweepDeletions: Statement;
  #revision: Revision;
  #compacted: Revision;
  #swept: Revision;
  /** Written since the size of the write-ahead log was looked at. */
  #unlookedBytes = 0;

  constructor(db: Database) {
    this.#db = db;
    ({
      revision: this.#revision,
      compacted: this.#compacted,
      swept: this.#swept,
    } = progressOf(onlyRow(prepare(db, PROGRESS))));
    this.#begin = prepare(db, "BEGIN IMMEDIATE");
    this.#commit = prepare(db, "COMMIT");
    this.#before = prepare(
      db,
      `SELECT log.revision, log.created, log.value
       FROM current JOIN log ON log.revision = current.revision WHERE current.key = ?`,
    );
    this.#append = prepare(
      db,
      `INSERT INTO log (revision, key, created, previous, deleted, value) VALUES (?, ?, ?, ?, ?, ?)`,
    );
    this.#point = prepare(
      db,
      `INSERT INTO current (key, revision) VALUES (?, ?)
       ON CONFLICT (key) DO UPDATE SET revision = excluded.revision`,
    );
    this.#unpoint = prepare(db, "DELETE FROM current WHERE key = ?");
    this.#setMeta = prepare(db, "UPDATE meta SET value = ? WHERE name = ?");
    this.#replacedSizes = prepare(
      db,
      `SELECT log.revision, length(before.value) FROM log JOIN log AS before ON before.revision = log.previous
       WHERE log.revision > ? AND log.revision <= ? ORDER BY log.revision`,
    );
    // A row of the past is needed no more when a later row of the past replaced it ...
    this.#sweepReplaced = prepare(
      db,
      `DELETE FROM log WHERE revision IN
         (SELECT previous FROM log WHERE revision > ? AND revision <= ? AND previous IS NOT NULL)`,
    );
    // ... or when it says that its key does not exist.
    this.#sweepDeletions = prepare(
      db,
      "DELETE FROM log WHERE revision > ? AND revision <= ? AND deleted = 1",
    );
  }

  /** Of the newest write. */
  get revision(): Revision {
    return this.#revision;
  }

  /** Rows of the past are still to be removed. */
  get hasToSweep(): boolean {
    return this.#swept < this.#compacted;
  }

  /** One transaction, durable when it returns. When it throws, none of the writes has happened. */
  write(writes: readonly Write[]): Written[] {
    const start = this.#revision;
    try {
      return this.#transaction(() => writes.map((one) => this.#writeOne(one)));
    } catch (err) {
      // Nobody has seen the revisions of a transaction that was rolled back.
      this.#revision = start;
      throw err;
    }
  }

  /** Declares the past up to `revision` forgotten; sweep() removes it. */
  compact(revision: Revision): void {
    if (revision <= this.#compacted) return;
    this.#transaction(() => this.#setMeta.run(revision, "compacted"));
    this.#compacted = revision;
  }

  /** Removes one bounded slice of the forgotten past. */
  sweep(): void {
    const from = this.#swept;
    const to = this.#sliceEnd(from);
    // A slice that a power cut takes back is swept again: it need not be on disk now.
    this.#db.exec("PRAGMA synchronous = NORMAL");
    try {
      this.#transaction(() => {
        this.#sweepReplaced.run(from, to);
        this.#sweepDeletions.run(from, to);
        this.#setMeta.run(to, "swept");
      });
    } finally {
      this.#db.exec("PRAGMA synchronous = FULL");
    }
    this.#swept = to;
  }

  /** Keeps the write-ahead log from growing for ever under readers that never pause. Call it after writes. */
  boundLog(): void {
    if (this.#unlookedBytes < LOOK_AFTER_BYTES) return;
    this.#unlookedBytes = 0;
    const [, pages] = onlyRow(prepare(this.#db, "PRAGMA wal_checkpoint(PASSIVE)")) as [
      bigint,
      bigint,
    ];
    if (pages < MAX_LOG_PAGES) return;
    this.#db.exec(`PRAGMA busy_timeout = ${RESTART_TIMEOUT_MS}`);
    this.#db.exec("PRAGMA wal_checkpoint(RESTART)");
    this.#db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }

  /**
   * Goes on with the revisions after this one, and forgets the past up to it, for a database that replaces
   * one that had got further.
   */
  skipTo(revision: Revision): void {
    this.compact(this.#revision);
    while (this.hasToSweep) this.sweep();
    this.#transaction(() => {
      this.#setMeta.run(revision, "compacted");
      this.#setMeta.run(revision, "swept");
    });
    this.#revision = this.#compacted = this.#swept = revision;
  }

  /** Writes as much as an ordinary write does and removes it again, to see whether there is room for that. */
  probe(): void {
    this.#transaction(() => {
      this.#db.exec("DELETE FROM probe");
      prepare(this.#db, "INSERT INTO probe (value) VALUES (zeroblob(?))").run(PROBE_BYTES);
    });
    this.#transaction(() => this.#db.exec("DELETE FROM probe"));
  }

  #sliceEnd(from: Revision): Revision {
    let to = from + SWEPT_PER_SLICE;
    if (to > this.#compacted) to = this.#compacted;
    let bytes = 0;
    for (const row of this.#replacedSizes.iterate(from, to)) {
      const [revision, size] = row as unknown as [bigint, bigint | null];
      bytes += Number(size ?? 0);
      if (bytes >= SWEPT_BYTES_PER_SLICE) return revision;
    }
    return to;
  }

  #writeOne({ key, value, expected }: Write): Written {
    const before = this.#find(key);
    const has = before?.revision ?? ABSENT;
    if (has !== expected) return { revision: 0n, before };
    this.#unlookedBytes += BYTES_PER_WRITE + (value?.length ?? 0);
    const revision = ++this.#revision;
    const created = before?.createRevision ?? revision;
    const previous = before?.revision ?? null;
    if (value === undefined) {
      this.#append.run(revision, key, created, previous, 1, null);
      this.#unpoint.run(key);
    } else {
      this.#append.run(revision, key, created, previous, 0, value);
      this.#point.run(key, revision);
    }
    return { revision, before };
  }

  #find(key: string): Before | undefined {
    const row = this.#before.get(key) as [bigint, bigint, Uint8Array] | undefined;
    return row && { revision: row[0], createRevision: row[1], value: row[2] };
  }

  #transaction<T>(work: () => T): T {
    this.#begin.run();
    try {
      const result = work();
      this.#commit.run();
      return result;
    } catch (err) {
      // Some errors end the transaction by themselves.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw err;
    }
  }
}
