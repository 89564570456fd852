import assert from "node:assert/strict";
import { basename } from "node:path";
import { describe, it } from "node:test";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { type BackupLimits, backupName, backupsToRemove } from "./log-backups.ts";

const day = 24 * 3600 * 1000;
const nowMs = Date.UTC(2026, 0, 10);

async function removed(limits: Partial<BackupLimits>): Promise<readonly string[]> {
  using dir = tempDir();
  dir.write({
    "audit.log": "",
    "audit-2026-01-01T00-00-00.000.log": "",
    "audit-2026-01-05T00-00-00.000.log": "",
    "audit-2026-01-09T23-59-59.999.log": "",
    "audit-notes.log": "",
    "other-2026-01-01T00-00-00.000.log": "",
    "audit-2026-01-01T00-00-00.000.log.gz": "",
  });
  const all = { maxBackups: 0, maxAgeMs: 0, nowMs, ...limits };
  const files = await backupsToRemove(dir.join("audit.log"), all);
  return files.map((file) => basename(file));
}

describe("backupName", () => {
  it("has the time in it, in a form that sorts and that every file system takes", () => {
    const name = backupName("/logs/audit.log", Date.UTC(2026, 10, 16, 2, 53, 51, 7));
    assert.equal(name, "/logs/audit-2026-11-16T02-53-51.007.log");
  });
});

describe("backupsToRemove", () => {
  it("keeps everything without limits", async () => {
    assert.deepEqual(await removed({}), []);
  });

  it("keeps the newest, and touches nothing that is not a backup", async () => {
    assert.deepEqual(await removed({ maxBackups: 1 }), [
      "audit-2026-01-01T00-00-00.000.log",
      "audit-2026-01-05T00-00-00.000.log",
    ]);
  });

  it("removes what is too old", async () => {
    assert.deepEqual(await removed({ maxAgeMs: 6 * day }), ["audit-2026-01-01T00-00-00.000.log"]);
  });
});
