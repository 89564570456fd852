// The write-ahead log can be emptied only when nobody reads from it. Under readers that never pause it must
// not grow for ever.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { openStore } from "./open-store.ts";

const CHILD = fileURLToPath(new URL("reading-child.ts", import.meta.url));
const MIB = 2 ** 20;
const WRITTEN_MIB = 300;
/** It is looked at after every 16 MiB, and emptied when it has more than 64. */
const BOUND_MIB = 64 + 2 * 16;

describe("the write-ahead log", () => {
  it(`stays below ${BOUND_MIB} MiB while ${WRITTEN_MIB} MiB are written and somebody always reads`, async (t) => {
    using dir = tempDir();
    await using opened = await openStore(dir.path);
    const { store } = opened;
    let revision = 0n;
    let largest = 0;
    const child = spawn(process.execPath, [CHILD, dir.join("driftless.db")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const closed = once(child, "close");
    try {
      await once(child.stdout, "data");
      const value = new Uint8Array(MIB);
      for (let i = 0; i < WRITTEN_MIB; i++) {
        const write = i === 0 ? store.create("/a", value) : store.update("/a", value, revision);
        const result = await write;
        assert.ok(result.ok);
        ({ revision } = result);
        largest = Math.max(largest, statSync(dir.join("driftless.db-wal")).size / MIB);
      }
    } finally {
      child.kill("SIGKILL");
      await closed;
    }
    t.diagnostic(`${Math.round(largest)} MiB at most`);
    assert.ok(largest < BOUND_MIB, `${largest} MiB`);
  });

  for (const isDamaged of [true, false]) {
    const what = isDamaged
      ? "damaged in the middle is reported"
      : "that a crash has left is no news";
    it(`${what} when it is opened`, async () => {
      using dir = tempDir();
      {
        await using opened = await openStore(dir.join("data"));
        for (let i = 0; i < 20; i++) await opened.store.create(`/${i}`, new Uint8Array(100));
        // As a crash leaves it: closing the store would empty the log.
        cpSync(dir.join("data"), dir.join("copy"), { recursive: true });
      }
      const log = dir.join("copy", "driftless.db-wal");
      const bytes = readFileSync(log);
      const middle = Math.floor(bytes.length / 2);
      if (isDamaged) bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
      writeFileSync(log, bytes);

      await using opened = await openStore(dir.join("copy"));

      const reports = opened.logger.records.filter(({ level }) => level === "error");
      const { items } = await opened.store.range({ prefix: "" });
      assert.equal(items.length < 20, isDamaged, `${items.length} keys`);
      assert.equal(reports.length, isDamaged ? 1 : 0);
      if (!isDamaged) return;
      const ignored = Number(reports[0]?.fields["bytes"]);
      assert.ok(
        ignored >= bytes.length / 2 - 100_000 && ignored < bytes.length,
        `${ignored} bytes`,
      );
    });
  }
});
