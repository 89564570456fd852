// Reads the log: keys as of now or of a revision, and the events after one. Each call sees one moment of the
// store.

import { compareKeys, prefixEnd } from "../key-order.ts";
import {
  CompactedError,
  FutureRevisionError,
  type GetResult,
  type RangeQuery,
  type RangeResult,
  type Revision,
  type StoredValue,
  type StoreEvent,
} from "../store.ts";
import type { PastPage } from "../watch-hub.ts";
import { type Database, onlyRow, prepare, type Statement } from "./database.ts";
import { PROGRESS, progressOf } from "./schema.ts";

/** Where a page of the past ends, whichever comes first. The last event may go beyond the bytes. */
const PAST_PAGE_EVENTS = 1000;
const PAST_PAGE_BYTES = 4 * 2 ** 20;

const ALL = -1n;

/** The first write of each key after a revision; `previous` has no value if the key did not exist at it. Looks only at what was written since. */
const SINCE = `SELECT key, previous, min(revision) FROM log
  WHERE revision > ?3 AND key >= ?1 AND key < ?2 GROUP BY key`;

type ItemRow = [key: string, revision: bigint, created: bigint, value: Uint8Array];
type EventRow = [
  key: string,
  revision: bigint,
  created: bigint,
  value: Uint8Array | null,
  previousRevision: bigint | null,
  previousCreated: bigint,
  previousValue: Uint8Array,
];

/** From the first key to the one before the second. A blob comes after every text. */
type Bounds = readonly [from: string, to: string | Uint8Array];

export class LogReader {
  readonly #db: Database;
  readonly #progress: Statement;
  readonly #get: Statement;
  readonly #range: Statement;
  readonly #count: Statement;
  readonly #rangeAt: Statement;
  readonly #countMore: Statement;
  readonly #past: Statement;

  constructor(db: Database) {
    this.#db = db;
    this.#progress = prepare(db, PROGRESS);
    const items = "SELECT log.key, log.revision, log.created, log.value";
    const now = "FROM current CROSS JOIN log ON log.revision = current.revision";
    this.#get = prepare(db, `${items} ${now} WHERE current.key = ?`);
    this.#range = prepare(
      db,
      `${items} ${now} WHERE current.key >= ? AND current.key < ? ORDER BY current.key LIMIT ?`,
    );
    this.#count = prepare(db, "SELECT count(*) FROM current WHERE key >= ? AND key < ?");
    // Keys that were not written since are as they were; of the others, the first write since says which revision it
    // replaced, if the key existed. Both parts end at the limit before they are put in order.
    this.#rangeAt = prepare(
      db,
      `WITH since AS (${SINCE}), past (key, revision) AS (
         SELECT * FROM (SELECT key, revision FROM current
           WHERE key >= ?1 AND key < ?2 AND revision <= ?3 ORDER BY key LIMIT ?4)
         UNION ALL
         SELECT * FROM (SELECT key, previous FROM since
           WHERE previous IS NOT NULL ORDER BY key LIMIT ?4))
       ${items} FROM (SELECT * FROM past ORDER BY key LIMIT ?4) AS past
       CROSS JOIN log ON log.revision = past.revision ORDER BY past.key`,
    );
    // How many keys more there were at a revision than now.
    this.#countMore = prepare(
      db,
      `SELECT coalesce(sum((previous IS NOT NULL) - EXISTS
         (SELECT 1 FROM current WHERE current.key = since.key)), 0)
       FROM (${SINCE}) AS since`,
    );
    this.#past = prepare(
      db,
      `${items}, before.revision, before.created, before.value
       FROM log LEFT JOIN log AS before ON before.revision = log.previous
       WHERE log.revision > ? AND log.key >= ? AND log.key < ? ORDER BY log.revision`,
    );
  }

  get(key: string): GetResult {
    return this.#atOneMoment(({ revision }) => {
      const row = this.#get.get(key) as unknown as ItemRow | undefined;
      return { item: row && itemOf(row), revision };
    });
  }

  range(query: RangeQuery): RangeResult {
    return this.#atOneMoment(({ revision: newest, compacted }) => {
      const { prefix, after, limit, revision } = query;
      if (revision !== undefined) refuseUnlessKept(revision, newest, compacted);
      const bounds = boundsOf(prefix, after);
      const at = revision === undefined ? [] : [revision];
      const most = limit === undefined ? ALL : BigInt(limit);
      const statement = revision === undefined ? this.#range : this.#rangeAt;
      const rows = statement.all(...bounds, ...at, most) as unknown as ItemRow[];
      const last = rows.length === limit ? rows.at(-1) : undefined;
      const remaining = last === undefined ? 0 : this.#countIn(boundsOf(prefix, last[0]), revision);
      return { items: rows.map(itemOf), revision: revision ?? newest, remaining };
    });
  }

  /** The events after a revision, or the first of them. */
  past(prefix: string, after: Revision): PastPage {
    return this.#atOneMoment(({ revision: newest, compacted }) => {
      refuseUnlessKept(after, newest, compacted);
      const events: StoreEvent[] = [];
      let bytes = 0;
      for (const row of this.#past.iterate(after, ...boundsOf(prefix, undefined))) {
        const event = eventOf(row as unknown as EventRow);
        events.push(event);
        bytes += (event.value?.value.length ?? 0) + (event.previous?.value.length ?? 0);
        if (events.length >= PAST_PAGE_EVENTS || bytes >= PAST_PAGE_BYTES) {
          return { events, revision: event.revision, hasMore: true };
        }
      }
      return { events, revision: newest, hasMore: false };
    });
  }

  #countIn(bounds: Bounds, revision: Revision | undefined): number {
    const [now] = onlyRow(this.#count, ...bounds) as [bigint];
    if (revision === undefined) return Number(now);
    const [more] = onlyRow(this.#countMore, ...bounds, revision) as [bigint];
    return Number(now + more);
  }

  /** Reads in one transaction. It waits for nobody, and no writer waits for it. */
  #atOneMoment<T>(read: (progress: { revision: Revision; compacted: Revision }) => T): T {
    this.#db.exec("BEGIN");
    try {
      return read(progressOf(onlyRow(this.#progress)));
    } finally {
      this.#db.exec("COMMIT");
    }
  }
}

function refuseUnlessKept(asked: Revision, newest: Revision, compacted: Revision): void {
  if (asked < compacted) throw new CompactedError(compacted);
  if (asked > newest) throw new FutureRevisionError(asked, newest);
}

function boundsOf(prefix: string, after: string | undefined): Bounds {
  // The least key that comes after another is that one with a NUL at its end.
  const next = after === undefined ? "" : `${after}\u0000`;
  const from = compareKeys(next, prefix) > 0 ? next : prefix;
  return [from, prefixEnd(prefix) ?? new Uint8Array()];
}

function itemOf([key, revision, createRevision, value]: ItemRow): StoredValue {
  return { key, value, revision, createRevision };
}

function eventOf(row: EventRow): StoreEvent {
  const [key, revision, createRevision, value, previousRevision, previousCreated, previousValue] =
    row;
  const previous =
    previousRevision === null
      ? undefined
      : itemOf([key, previousRevision, previousCreated, previousValue]);
  return value === null
    ? { type: "delete", key, revision, value: undefined, previous }
    : { type: "put", key, revision, value: { key, value, revision, createRevision }, previous };
}
