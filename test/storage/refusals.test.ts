// Data that must not be touched: whatever is not clearly a whole database of this program is refused with a
// reason, and is byte for byte the same afterwards.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { backupDirectory, restoreDirectory } from "../../src/storage/backup.ts";
import { openForWriting } from "../../src/storage/sqlite/database.ts";
import {
  DatabaseRefusedError,
  type RefusalReason,
} from "../../src/storage/sqlite/database-refused-error.ts";
import { countedValue } from "./counted-value.ts";
import { openStore } from "./open-store.ts";

const CHILD = fileURLToPath(new URL("writing-child.ts", import.meta.url));
const PAGE_BYTES = 4096;

interface Case {
  readonly name: string;
  readonly reason: RefusalReason;
  readonly says: RegExp;
  /** Gets the file of a whole database with some keys, and spoils it. */
  readonly spoil: (file: string) => void;
}

const cases: readonly Case[] = [
  {
    name: "an empty file",
    reason: "damaged",
    says: /it is empty/,
    spoil: (file) => truncateSync(file, 0),
  },
  {
    name: "a file that ends in the header",
    reason: "damaged",
    says: /ends after 50 bytes/,
    spoil: (file) => truncateSync(file, 50),
  },
  {
    name: "half a file",
    reason: "damaged",
    says: /Move it away and restore a backup/,
    spoil: (file) => truncateSync(file, 5 * PAGE_BYTES),
  },
  {
    name: "a file without its last byte",
    reason: "damaged",
    says: /restore a backup/,
    spoil: (file) => truncateSync(file, readFileSync(file).length - 1),
  },
  {
    name: "zeros instead of a header",
    reason: "foreign",
    says: /no SQLite database, or the beginning of one is damaged/,
    spoil: (file) => overwrite(file, 0, Buffer.alloc(16)),
  },
  {
    name: "a page with flipped bits",
    reason: "damaged",
    says: /restore a backup/,
    spoil: (file) => {
      for (const page of [3, 4, 5]) flip(file, page * PAGE_BYTES, 16);
    },
  },
  {
    name: "a page of another file",
    reason: "damaged",
    says: /restore a backup/,
    spoil: (file) => overwrite(file, PAGE_BYTES, Buffer.alloc(2 * PAGE_BYTES, "other")),
  },
  {
    name: "a text file",
    reason: "foreign",
    says: /not a database of Driftless.*use another data directory/s,
    spoil: (file) => writeFileSync(file, "dear diary\n".repeat(1000)),
  },
  {
    name: "a database of another program",
    reason: "foreign",
    says: /a SQLite database of another program/,
    spoil: (file) => change(file, "PRAGMA application_id = 1"),
  },
  {
    name: "a database of a newer version",
    reason: "newer",
    says: /a newer version of Driftless wrote it \(schema 3, this one knows 2\).*Run that version/s,
    spoil: (file) => change(file, "PRAGMA user_version = 3"),
  },
  {
    name: "a database without its tables",
    reason: "damaged",
    says: /no such table/,
    spoil: (file) => change(file, "DROP TABLE meta"),
  },
  {
    name: "a database without its revisions",
    reason: "damaged",
    says: /its table meta lacks a row/,
    spoil: (file) => change(file, "DELETE FROM meta WHERE name = 'swept'"),
  },
  {
    name: "a database whose revisions cannot be",
    reason: "damaged",
    says: /swept up to 7, compacted up to 0, and at 40/,
    spoil: (file) => change(file, "UPDATE meta SET value = 7 WHERE name = 'swept'"),
  },
  {
    name: "a write-ahead log whose database is missing",
    reason: "damaged",
    says: /it is missing, but its write-ahead log is there/,
    spoil: (file) => renameSync(file, `${file}-wal`),
  },
];

function overwrite(file: string, at: number, bytes: Uint8Array): void {
  const all = readFileSync(file);
  all.set(bytes, at);
  writeFileSync(file, all);
}

function flip(file: string, at: number, length: number): void {
  const all = readFileSync(file);
  overwrite(
    file,
    at,
    all.subarray(at, at + length).map((byte) => byte ^ 0xff),
  );
}

function change(file: string, sql: string): void {
  const db = openForWriting(file);
  db.exec(sql);
  db.close();
}

/** The contents of a directory, without the lock: that has none. */
function contentsOf(directory: string): Record<string, string> {
  const names = readdirSync(directory).filter((name) => name !== "driftless.lock");
  return Object.fromEntries(
    names.map((name) => [name, readFileSync(`${directory}/${name}`).toString("base64")]),
  );
}

const whole = tempDir();
after(() => whole[Symbol.dispose]());
before(async () => {
  await using opened = await openStore(whole.join("data"));
  for (let i = 0; i < 40; i++) {
    const key = `/a/${i}`;
    await opened.store.create(key, countedValue(key, i));
  }
});

/** A data directory with a database of a dozen pages, closed. */
function dataDirectory(dir: TempDir): string {
  cpSync(whole.join("data"), dir.join("data"), { recursive: true });
  return dir.join("data");
}

async function assertRefused(
  attempt: () => Promise<unknown>,
  { file, reason, says }: { file: string; reason: RefusalReason; says: RegExp },
): Promise<void> {
  await assert.rejects(attempt, (err) => {
    assert.ok(err instanceof DatabaseRefusedError, String(err));
    assert.equal(err.reason, reason);
    assert.equal(err.file, file);
    assert.ok(err.message.startsWith(`Cannot open "${file}": `), err.message);
    assert.match(err.message, says);
    assert.match(err.message, /Nothing was changed/);
    return true;
  });
}

describe("SqliteStore refuses, and leaves as it is,", () => {
  for (const { name, reason, says, spoil } of cases) {
    it(name, async () => {
      using dir = tempDir();
      const directory = dataDirectory(dir);
      const file = `${directory}/driftless.db`;
      spoil(file);
      const before = contentsOf(directory);

      await assertRefused(() => openStore(directory), { file, reason, says });

      assert.deepEqual(contentsOf(directory), before);
    });
  }

  it("a directory that another process is using", async () => {
    using dir = tempDir();
    const child = spawn(process.execPath, [CHILD, dir.path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const closed = once(child, "close");
    try {
      await once(child.stdout, "data");
      child.stdout.resume();
      const file = dir.join("driftless.db");
      const says = /another process is using this data directory.*Stop that process/s;
      await assertRefused(() => openStore(dir.path), { file, reason: "inUse", says });
    } finally {
      child.kill("SIGKILL");
      await closed;
    }
    // The lock went with the process.
    await using opened = await openStore(dir.path);
    await opened.store.check();
  });

  it("a directory that another store of this process is using", async () => {
    using dir = tempDir();
    await using opened = await openStore(dir.path);
    const file = dir.join("driftless.db");
    const says = /another process is using/;
    await assertRefused(() => openStore(dir.path), { file, reason: "inUse", says });
    assert.ok((await opened.store.create("/a", countedValue("/a", 1))).ok, "the first goes on");
  });
});

describe("restoreDirectory refuses, and leaves as it is,", () => {
  for (const { name, reason, says, spoil } of cases.slice(0, -1)) {
    it(`a backup that is ${name}`, async () => {
      using dir = tempDir();
      const file = dir.join("backup");
      await backupDirectory(dataDirectory(dir), { file });
      spoil(file);
      const before = readFileSync(file);

      const restore = (): Promise<unknown> => restoreDirectory(file, dir.join("restored"));
      await assertRefused(restore, { file, reason, says });

      assert.deepEqual(readFileSync(file), before);
      assert.deepEqual(readdirSync(dir.path).toSorted(), ["backup", "data"]);
    });
  }

  it("a directory that has a database", async () => {
    using dir = tempDir();
    const directory = dataDirectory(dir);
    await backupDirectory(directory, { file: dir.join("backup") });
    const before = contentsOf(directory);
    await assert.rejects(restoreDirectory(dir.join("backup"), directory), {
      name: "DatabaseRefusedError",
      reason: "exists",
      file: `${directory}/driftless.db`,
    });
    assert.deepEqual(contentsOf(directory), before);
  });

  it("a directory that is in use", async () => {
    using dir = tempDir();
    await backupDirectory(dataDirectory(dir), { file: dir.join("backup") });
    await using opened = await openStore(dir.join("used"));
    await assert.rejects(restoreDirectory(dir.join("backup"), dir.join("used")), {
      name: "DatabaseRefusedError",
      reason: "inUse",
    });
    await opened.store.check();
  });
});
