// The write-ahead log can be emptied only when nobody reads from it. Under readers that never pause it must
// not grow for ever.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
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
});
