// Databases that an older version of the program has written: they are opened, and become ones of this version.

import assert from "node:assert/strict";
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { databaseFile } from "../../src/storage/sqlite/data-directory.ts";
import {
  onlyRow,
  openForReading,
  openForWriting,
  prepare,
} from "../../src/storage/sqlite/database.ts";
import { tmpfs } from "../support/tmpfs.ts";
import { openStore } from "./open-store.ts";

const KEYS = 500;
/** Long ones: the index that goes has them all, and going takes room in the write-ahead log. */
const keyOf = (i: number): string => `/${i}-${"x".repeat(400)}`;
/** What SQLite needs to open a database at all, and not to drop that index. */
const FREE_BYTES = 128 * 2 ** 10;

/** What version 1 had, and this one does not. */
const VERSION_1 = "CREATE INDEX log_by_key ON log (key, revision); PRAGMA user_version = 1";

/** Every key has been updated once; the revision in between. */
async function makeVersion1(directory: string): Promise<bigint> {
  let middle = 0n;
  {
    await using opened = await openStore(directory);
    const { store } = opened;
    for (const round of ["old", "new"]) {
      if (round === "new") middle = await store.revision();
      for (let i = 0; i < KEYS; i++) {
        const key = keyOf(i);
        const { item } = await store.get(key);
        const value = Buffer.from(`${round} ${i}`);
        await (item === undefined
          ? store.create(key, value)
          : store.update(key, value, item.revision));
      }
    }
  }
  const db = openForWriting(databaseFile(directory));
  db.exec(VERSION_1);
  db.close();
  return middle;
}

function schemaOf(directory: string): { readonly version: number; readonly hasIndex: boolean } {
  const db = openForReading(databaseFile(directory));
  const [version] = onlyRow(prepare(db, "PRAGMA user_version")) as [bigint];
  const [indexes] = onlyRow(
    prepare(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'log_by_key'"),
  ) as [bigint];
  db.close();
  return { version: Number(version), hasIndex: indexes > 0n };
}

async function assertReadsPast(directory: string, middle: bigint): Promise<void> {
  await using opened = await openStore(directory);
  const { items } = await opened.store.range({ prefix: "/1", revision: middle });
  assert.equal(items.length, 111);
  for (const { key, value } of items) {
    assert.equal(Buffer.from(value).toString(), `old ${/\d+/.exec(key)?.[0]}`);
  }
}

describe("SqliteStore with a database of schema version 1", () => {
  it("drops the index of the log, and reads the past as before", async () => {
    using dir = tempDir();
    const directory = dir.join("data");
    const middle = await makeVersion1(directory);
    assert.deepEqual(schemaOf(directory), { version: 1, hasIndex: true });
    await assertReadsPast(directory, middle);
    assert.deepEqual(schemaOf(directory), { version: 2, hasIndex: false });
  });

  it("G4 starts also when the disk has no room for that, and makes up for it when there is room", async (t) => {
    using disk = tmpfs("size=8m");
    if (!("path" in disk)) return t.skip(disk.reason);
    const directory = join(disk.path, "data");
    const middle = await makeVersion1(directory);
    const ballast = join(disk.path, "ballast");
    const { bavail, bsize } = statfsSync(disk.path);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - FREE_BYTES));
    await assertReadsPast(directory, middle);
    assert.deepEqual(schemaOf(directory), { version: 1, hasIndex: true });
    rmSync(ballast);
    await assertReadsPast(directory, middle);
    assert.deepEqual(schemaOf(directory), { version: 2, hasIndex: false });
    return undefined;
  });
});
