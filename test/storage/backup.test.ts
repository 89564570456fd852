// A backup from another process while a server writes: it is one moment of the store, and what is restored
// from it goes on where nobody has been.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { backupDirectory, restoreDirectory } from "../../src/storage/backup.ts";
import type { RangeResult } from "../../src/storage/store.ts";
import { LONG } from "../support/campaign.ts";
import { countedValue } from "./counted-value.ts";
import { openStore } from "./open-store.ts";

const CHILD = fileURLToPath(new URL("writing-child.ts", import.meta.url));
const BACKUPS = LONG ? 50 : 3;

/** Resolves when the child has acknowledged so many more writes. */
async function hearWrites(child: ChildProcess, count: number): Promise<void> {
  assert.ok(child.stdout !== null);
  for (let lines = 0; lines < count; ) {
    const [text] = (await once(child.stdout, "data")) as [Buffer];
    lines += text.toString().split("\n").length - 1;
  }
}

function describeItems({ items }: RangeResult): string[] {
  return items.map(
    ({ key, value, revision, createRevision }) =>
      `${key} ${revision} ${createRevision} ${Buffer.from(value).toString("base64")}`,
  );
}

describe("a backup by another process than the server's", () => {
  it(`is the state at its revision, ${BACKUPS} times while the server writes`, async () => {
    using dir = tempDir();
    const data = dir.join("data");
    const child = spawn(process.execPath, [CHILD, data], { stdio: ["ignore", "pipe", "inherit"] });
    const closed = once(child, "close");
    const backups: { file: string; revision: bigint; keys: number }[] = [];
    try {
      for (let i = 0; i < BACKUPS; i++) {
        await hearWrites(child, 300);
        const file = dir.join(`backup-${i}`);
        backups.push({ file, ...(await backupDirectory(data, { file })) });
      }
      await hearWrites(child, 300);
    } finally {
      child.kill("SIGKILL");
      await closed;
    }

    await using original = await openStore(data);
    let last = 0n;
    for (const [i, { file, revision, keys }] of backups.entries()) {
      const expected = await original.store.range({ prefix: "", revision });
      assert.ok(revision > last, "the server wrote between two backups");
      last = revision;
      await restoreDirectory(file, dir.join(`restored-${i}`));
      await using restored = await openStore(dir.join(`restored-${i}`));
      const actual = await restored.store.range({ prefix: "" });
      assert.deepEqual(describeItems(actual), describeItems(expected));
      assert.equal(actual.items.length, keys);
    }
  });

  it("goes on after a restoration with revisions that the old store never gave", async () => {
    using dir = tempDir();
    const file = dir.join("backup");
    await using original = await openStore(dir.join("data"));
    const { store } = original;
    await store.create("/a", countedValue("/a", 1));
    const { revision } = await backupDirectory(dir.join("data"), { file });
    for (let i = 0; i < 100; i++) await store.create(`/later/${i}`, countedValue("/later", 1));
    const newest = await store.revision();

    await restoreDirectory(file, dir.join("restored"));

    await using restored = await openStore(dir.join("restored"));
    const { signal } = new AbortController();
    const resumed = restored.store.watch({ prefix: "", after: newest, signal });
    await assert.rejects(resumed[Symbol.asyncIterator]().next(), { name: "CompactedError" });
    const result = await restored.store.create("/b", countedValue("/b", 1));
    assert.ok(result.ok && result.revision > newest && newest > revision);
    const { item } = await restored.store.get("/a");
    assert.equal(item?.revision, revision, "keys keep their revisions");
  });
});
