import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { describe, it } from "node:test";
import { type TempDir, tempDir } from "../../base/testing/temp-dir.ts";
import { databaseFile, type LockedDatabase, openDataDirectory } from "./data-directory.ts";
import { onlyRow, prepare } from "./database.ts";
import { ABSENT, LogWriter } from "./log-writer.ts";

interface Opened extends Disposable {
  readonly log: LogWriter;
  readonly database: LockedDatabase;
  readonly rows: () => number;
}

function open(dir: TempDir): Opened {
  const database = openDataDirectory(dir.path);
  return {
    database,
    log: new LogWriter(database.db),
    rows: () => {
      const [count] = onlyRow(prepare(database.db, "SELECT count(*) FROM log")) as [bigint];
      return Number(count);
    },
    [Symbol.dispose]: () => database.close(),
  };
}

/** Creates or updates each of `keys` keys `times` times, in groups. */
function update(log: LogWriter, { keys, times }: { keys: number; times: number }): void {
  const revisions = new Map<string, bigint>();
  for (let i = 0; i < times; i++) {
    const writes = Array.from({ length: keys }, (_, n) => ({
      key: `/${n}`,
      value: new Uint8Array(1000),
      expected: revisions.get(`/${n}`) ?? ABSENT,
    }));
    log.write(writes).forEach(({ revision }, n) => {
      assert.ok(revision > 0n);
      revisions.set(`/${n}`, revision);
    });
  }
}

function sweepAll(log: LogWriter): number {
  let slices = 0;
  for (; log.hasToSweep; slices++) log.sweep();
  return slices;
}

describe("LogWriter", () => {
  it("lets writes of one group see each other", () => {
    using dir = tempDir();
    using opened = open(dir);
    const value = new Uint8Array([1]);
    const written = opened.log.write([
      { key: "/a", value, expected: ABSENT },
      { key: "/a", value, expected: ABSENT },
      { key: "/a", value, expected: 1n },
      { key: "/a", value: undefined, expected: 2n },
      { key: "/a", value, expected: ABSENT },
    ]);
    assert.deepEqual(
      written.map(({ revision, before }) => [revision, before?.revision]),
      [
        [1n, undefined],
        [0n, 1n],
        [2n, 1n],
        [3n, 2n],
        [4n, undefined],
      ],
    );
  });

  it("writes nothing of a group that fails, and gives its revisions again", () => {
    using dir = tempDir();
    using opened = open(dir);
    const good = { key: "/a", value: new Uint8Array(), expected: ABSENT };
    // SQLite takes no value of this type.
    const bad = { ...good, key: "/b", value: "text" as unknown as Uint8Array };
    assert.throws(() => opened.log.write([good, bad]));
    assert.equal(opened.rows(), 0);
    assert.equal(opened.log.write([good])[0]?.revision, 1n);
  });

  it("removes what compaction forgets, in slices, and keeps one row for each key", () => {
    using dir = tempDir();
    using opened = open(dir);
    const { log } = opened;
    update(log, { keys: 100, times: 30 });
    log.write([{ key: "/0", value: undefined, expected: log.revision - 99n }]);
    const later = log.write([{ key: "/1", value: new Uint8Array(), expected: log.revision - 99n }]);
    assert.ok((later[0]?.revision ?? 0n) > 0n);

    log.compact(log.revision - 1n);
    const slices = sweepAll(log);

    assert.equal(slices, Math.ceil(3001 / 200));
    assert.equal(opened.rows(), 99 + 1, "99 keys as of the compaction, and what came after");
  });

  it("removes few large values at a time, because writes wait for it", () => {
    using dir = tempDir();
    using opened = open(dir);
    const { log } = opened;
    for (let i = 0; i < 21; i++) {
      const expected = i === 0 ? ABSENT : log.revision;
      log.write([{ key: "/a", value: new Uint8Array(2 ** 20), expected }]);
    }
    log.compact(log.revision);
    assert.equal(sweepAll(log), 20 / 4);
    assert.equal(opened.rows(), 1);
  });

  it("syncs every write again after it has removed something, which need not be synced", () => {
    using dir = tempDir();
    using opened = open(dir);
    const { log, database } = opened;
    update(log, { keys: 10, times: 2 });
    log.compact(log.revision);
    sweepAll(log);
    const [synchronous] = onlyRow(prepare(database.db, "PRAGMA synchronous")) as [bigint];
    assert.equal(synchronous, 2n, "FULL");
  });

  it("goes on after a restart with what it had not removed yet", () => {
    using dir = tempDir();
    {
      using opened = open(dir);
      update(opened.log, { keys: 100, times: 30 });
      opened.log.compact(opened.log.revision);
      opened.log.sweep();
    }
    using opened = open(dir);
    assert.ok(opened.log.hasToSweep);
    sweepAll(opened.log);
    assert.equal(opened.rows(), 100);
  });

  it("never gives a revision again after a restart, even if its row is gone", () => {
    using dir = tempDir();
    {
      using opened = open(dir);
      opened.log.write([{ key: "/a", value: new Uint8Array(), expected: ABSENT }]);
      opened.log.write([{ key: "/a", value: undefined, expected: 1n }]);
      opened.log.compact(2n);
      sweepAll(opened.log);
      assert.equal(opened.rows(), 0);
    }
    using opened = open(dir);
    const [written] = opened.log.write([{ key: "/a", value: new Uint8Array(), expected: ABSENT }]);
    assert.equal(written?.revision, 3n);
  });

  it("uses the room of what was removed: constant updates do not make the file grow for ever", () => {
    using dir = tempDir();
    using opened = open(dir);
    const { log, database } = opened;
    const sizes: number[] = [];
    const value = new Uint8Array(1000);
    let expected = new Map<string, bigint>();
    for (let round = 0; round < 20; round++) {
      for (let i = 0; i < 10; i++) {
        const keys = Array.from({ length: 50 }, (_, n) => `/${n}`);
        const written = log.write(
          keys.map((key) => ({ key, value, expected: expected.get(key) ?? ABSENT })),
        );
        expected = new Map(keys.map((key, n) => [key, written[n]?.revision ?? 0n]));
      }
      log.compact(log.revision);
      sweepAll(log);
      database.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      sizes.push(statSync(databaseFile(dir.path)).size);
    }
    assert.equal(sizes.at(-1), sizes.at(2), sizes.join());
  });
});
