import { equal, ok, throws } from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { describe, it } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/random.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { lockFile } from "../../src/runtime/file-lock.ts";
import { settingsOf } from "../../src/supervisor/settings.ts";
import { SnapshotError, SnapshotFiles } from "../../src/supervisor/snapshot-files.ts";

const settings = settingsOf({
  ...{ variables: new Map(), environment: new Map() },
  directories: new Map([["/etc/app", new Map([["conf", Buffer.from("1")]])]]),
});

const base = { clock: systemClock, random: systemRandom };

describe("SnapshotFiles", () => {
  it("begins anew when another one sweeps away what it has just begun", () => {
    using dir = tempDir();
    let isSwept = false;
    using copies = new SnapshotFiles({
      ...{ ...base, parent: dir.path, logger: new CaptureLogger() },
      lock: (path) => {
        if (isSwept) return lockFile(path);
        isSwept = true;
        // Made, and not ours yet: the other one has it, and takes it for what a killed one has left.
        rmSync(dir.path, { recursive: true });
        mkdirSync(dir.path);
        return undefined;
      },
    });
    throws(() => copies.publish(settings), SnapshotError);
    copies.publish(settings);
    equal(readFileSync(`${copies.live}/conf`, "utf8"), "1");
    equal(readdirSync(dir.path).length, 1);
  });

  it("says it, and goes on, when what it has made cannot be removed", () => {
    using dir = tempDir();
    const logger = new CaptureLogger();
    const remove = (path: string): void => {
      throw new Error(`cannot remove ${path}`);
    };
    const copies = new SnapshotFiles({ ...base, parent: dir.path, lock: lockFile, remove, logger });
    copies.publish(settings);
    copies.candidate(settings)[Symbol.dispose]();
    copies[Symbol.dispose]();
    equal(logger.records.filter(({ level }) => level === "warn").length, 2);
    const [root = ""] = readdirSync(dir.path);
    using lock = lockFile(dir.join(root, "lock"));
    ok(lock, "it is still locked");
  });
});
