// G4 with real faults: full disks, exhausted inodes, missing rights, read-only mounts, no file
// descriptors left. The previous version stays whole, nothing is left behind, the error names the
// file, and the next write works.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, it, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import type { Payload } from "../../src/files/payload.ts";
import { payloadOf, testWriter } from "../../src/files/testing/test-writer.ts";
import { assertExactly, assertShows } from "../../src/files/testing/volume-checks.ts";
import { WriteError } from "../../src/files/write-error.ts";
import { tmpfs } from "../support/tmpfs.ts";

const CHILD = fileURLToPath(new URL("write-child.ts", import.meta.url));
const NOBODY = 65534;
const SMALL = payloadOf({ "app.yaml": "a: 1", "conf.d/x": "x" });

/** The write fails as a WriteError with this code, and the volume is exactly as it was. */
function assertFails(directory: string, act: () => void, code: string): WriteError {
  let thrown: unknown;
  try {
    act();
  } catch (err) {
    thrown = err;
  }
  assert.ok(thrown instanceof WriteError, `the write fails: ${String(thrown)}`);
  assert.equal(thrown.code, code);
  assertExactly(directory, SMALL);
  return thrown;
}

interface Attempt {
  readonly outcome: string;
  readonly code?: string;
  readonly path?: string;
  readonly message?: string;
}

/** The same write in a process with other rights or limits. */
function writeInChild(
  directory: string,
  files: Record<string, string>,
  options: { uid?: number; shell?: string } = {},
): Attempt {
  const command = [process.execPath, CHILD, directory, JSON.stringify(files)];
  const shell = options.shell ?? "";
  const child = spawnSync("sh", ["-c", `${shell} exec "$@"`, "sh", ...command], {
    encoding: "utf8",
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  assert.equal(child.status, 0, child.stderr);
  return JSON.parse(child.stdout) as Attempt;
}

function skipUnlessRoot(t: TestContext): boolean {
  const root = process.getuid?.() === 0;
  if (!root) t.skip("needs root, to give a directory to another user");
  return !root;
}

describe("AtomicWriter on a full disk", () => {
  it("G4 keeps the old files when the disk fills up during a write, and names the file", (t) => {
    using mount = tmpfs("size=1m");
    if (!("path" in mount)) return t.skip(mount.reason);
    const writer = testWriter(mount.path);
    writer.write(SMALL);
    const big = payloadOf({ "app.yaml": "a: 2", "big.bin": Buffer.alloc(2_000_000, 1) });

    const error = assertFails(mount.path, () => writer.write(big), "ENOSPC");

    assert.equal(error.path, "big.bin");
    assert.match(error.message, /big\.bin": ENOSPC: no space left on device/);
    const next = payloadOf({ "app.yaml": "a: 3" });
    writer.write(next);
    assertExactly(mount.path, next);
    return undefined;
  });

  it("G4 keeps the old files when the disk fills up at any point of a write", (t) => {
    let failed = 0;
    for (let kib = 8; kib <= 160; kib += 4) {
      using mount = tmpfs(`size=${kib}k`);
      if (!("path" in mount)) return t.skip(mount.reason);
      const writer = testWriter(mount.path);
      writer.write(payloadOf({ a: "1" }));
      const wanted: Payload = payloadOf(
        Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`key-${i}`, "x".repeat(4096)])),
      );
      try {
        writer.write(wanted);
        assertExactly(mount.path, wanted);
      } catch (err) {
        assert.ok(err instanceof WriteError, String(err));
        assert.equal(err.code, "ENOSPC");
        assertExactly(mount.path, payloadOf({ a: "1" }));
        failed++;
      }
    }
    t.diagnostic(`${failed} of 39 sizes were too small`);
    assert.ok(failed > 20 && failed < 39, "some sizes are too small and some are not");
    return undefined;
  });

  it("G4 goes back to the old version when there is no inode for a new key's link", (t) => {
    const failures = new Map<string, number>();
    for (let inodes = 8; inodes <= 40; inodes++) {
      using mount = tmpfs(`nr_inodes=${inodes},size=4m`);
      if (!("path" in mount)) return t.skip(mount.reason);
      const writer = testWriter(mount.path);
      const wanted = payloadOf(
        Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`key-${i}`, "new"])),
      );
      writer.write(payloadOf({ a: "1" }));
      try {
        writer.write(wanted);
        assertExactly(mount.path, wanted);
      } catch (err) {
        assert.ok(err instanceof WriteError, String(err));
        assert.equal(err.code, "ENOSPC");
        assertExactly(mount.path, payloadOf({ a: "1" }));
        const where = /symlink$/.test(err.message) ? "link" : "file";
        failures.set(where, (failures.get(where) ?? 0) + 1);
      }
    }
    t.diagnostic(`failed at ${JSON.stringify(Object.fromEntries(failures))}`);
    assert.ok((failures.get("link") ?? 0) > 5, "writes failed after the commit, at a link");
    assert.ok((failures.get("file") ?? 0) > 5, "writes failed before the commit");
    return undefined;
  });

  it("G4 keeps what ..data shows, however the link spells it, when the next version does not fit", (t) => {
    using mount = tmpfs("size=64k");
    if (!("path" in mount)) return t.skip(mount.reason);
    const { versionDirectory } = testWriter(mount.path).write(payloadOf({ a: "x".repeat(20_000) }));
    unlinkSync(`${mount.path}/..data`);
    symlinkSync(`${mount.path}/${versionDirectory}`, `${mount.path}/..data`);

    assert.throws(
      () => testWriter(mount.path).write(payloadOf({ a: "y".repeat(60_000) })),
      WriteError,
    );

    assert.equal(readFileSync(`${mount.path}/a`, "utf8").length, 20_000);
    return undefined;
  });

  it("leaves files of others alone when a write goes back before it came to them", (t) => {
    let wentBack = 0;
    for (let inodes = 10; inodes <= 24; inodes++) {
      using mount = tmpfs(`nr_inodes=${inodes},size=4m`);
      if (!("path" in mount)) return t.skip(mount.reason);
      writeFileSync(`${mount.path}/other`, "foreign");
      const writer = testWriter(mount.path);
      writer.write(payloadOf({ a: "1" }));
      try {
        writer.write(payloadOf({ a: "2", k1: "2", k2: "2", k3: "2", other: "2" }));
      } catch (err) {
        assert.ok(err instanceof WriteError, String(err));
        const where = String((err.cause as NodeJS.ErrnoException).syscall);
        if (where === "symlink" && err.path.startsWith("k")) wentBack++;
        if (err.path !== "other") {
          assert.equal(readFileSync(`${mount.path}/other`, "utf8"), "foreign");
        }
        assertExactly(mount.path, payloadOf({ a: "1" }), { foreign: ["other"] });
      }
    }
    assert.ok(wentBack > 0, "writes failed at a link, after the commit");
    return undefined;
  });

  it("leaves nothing behind when the very first write does not fit", (t) => {
    for (let inodes = 2; inodes <= 12; inodes++) {
      using mount = tmpfs(`nr_inodes=${inodes},size=4m`);
      if (!("path" in mount)) return t.skip(mount.reason);
      const wanted = payloadOf({ a: "1", b: "2", c: "3" });
      try {
        testWriter(mount.path).write(wanted);
        assertExactly(mount.path, wanted);
      } catch (err) {
        assert.ok(err instanceof WriteError, String(err));
        assert.deepEqual(readdirSync(mount.path), []);
      }
    }
    return undefined;
  });

  it("gives up versions in their grace time before it gives up the new one", (t) => {
    using mount = tmpfs("size=1m");
    if (!("path" in mount)) return t.skip(mount.reason);
    const writer = testWriter(mount.path, { keepPreviousMs: 3_600_000 });
    const version = (fill: number): Payload => payloadOf({ a: Buffer.alloc(300_000, fill) });

    for (let fill = 1; fill <= 8; fill++) writer.write(version(fill));

    assertExactly(mount.path, version(8), { versions: 2 });
    return undefined;
  });
});

describe("AtomicWriter without rights", () => {
  it("G4 keeps the old files when the directory cannot be written as this user", (t) => {
    if (skipUnlessRoot(t)) return;
    using temp = tempDir();
    chmodSync(temp.path, 0o755);
    testWriter(temp.path).write(SMALL);

    const attempt = writeInChild(temp.path, { "app.yaml": "a: 2" }, { uid: NOBODY });

    assert.equal(attempt.code, "EACCES");
    assert.match(attempt.path ?? "", /^\.\.\d{4}_/);
    assertExactly(temp.path, SMALL);
  });

  it("works as a user without any privilege in a directory of its own", (t) => {
    if (skipUnlessRoot(t)) return;
    using temp = tempDir();
    chmodSync(temp.path, 0o700);
    chownSync(temp.path, NOBODY, NOBODY);

    for (const value of ["1", "2", "3"]) {
      assert.equal(writeInChild(temp.path, { a: value }, { uid: NOBODY }).outcome, "written");
    }

    assertExactly(temp.path, payloadOf({ a: "3" }));
  });

  it("works again and again with keys that their own owner may not read", (t) => {
    if (skipUnlessRoot(t)) return;
    using temp = tempDir();
    chownSync(temp.path, NOBODY, NOBODY);

    for (const value of ["1", "2"]) {
      const attempt = writeInChild(temp.path, { a: value }, { uid: NOBODY, shell: "MODE=0" });
      assert.equal(attempt.outcome, "written", attempt.message);
    }
  });

  it("G4 fails loudly, and changes nothing, when it may not give files to a group", (t) => {
    if (skipUnlessRoot(t)) return;
    using temp = tempDir();
    chownSync(temp.path, NOBODY, NOBODY);
    writeInChild(temp.path, { a: "1" }, { uid: NOBODY });
    const before = readdirSync(temp.path);

    const attempt = writeInChild(temp.path, { a: "2" }, { uid: NOBODY, shell: "FS_GROUP=4242" });

    assert.equal(attempt.code, "EPERM");
    assert.deepEqual(readdirSync(temp.path), before);
  });

  it("G4 keeps the old files on a file system that became read-only, and goes on when it is back", (t) => {
    using mount = tmpfs("size=1m");
    if (!("path" in mount)) return t.skip(mount.reason);
    const writer = testWriter(mount.path);
    writer.write(SMALL);
    const next = payloadOf({ "app.yaml": "a: 2" });

    execFileSync("mount", ["-o", "remount,ro", mount.path]);
    assertFails(mount.path, () => writer.write(next), "EROFS");
    assert.equal(writer.write(SMALL).outcome, "unchanged");
    execFileSync("mount", ["-o", "remount,rw", mount.path]);

    writer.write(next);
    assertExactly(mount.path, next);
    return undefined;
  });

  it("G4 keeps the old files when there is no file descriptor left, wherever that strikes", (t) => {
    const endings = new Set<string>();
    for (let free = 0; free <= 3; free++) {
      using temp = tempDir();
      testWriter(temp.path).write(SMALL);
      const files = { "app.yaml": "a: 2", more: "m" };

      const attempt = writeInChild(temp.path, files, { shell: `ulimit -n 64; FREE=${free}` });

      endings.add(attempt.code ?? attempt.outcome);
      if (attempt.code !== undefined) {
        assertExactly(temp.path, SMALL);
      } else {
        // Removing a version with sub-directories takes two descriptors: it may have been left.
        assertShows(temp.path, payloadOf(files));
        testWriter(temp.path).write(payloadOf(files));
        assertExactly(temp.path, payloadOf(files));
      }
    }
    t.diagnostic([...endings].join(", "));
    assert.deepEqual([...endings].sort(), ["EMFILE", "written"]);
  });
});

describe("AtomicWriter on a directory that is not there", () => {
  it("A2 refuses a directory that does not exist, or is none", () => {
    using temp = tempDir();
    writeFileSync(temp.join("file"), "");

    assert.throws(
      () => testWriter(temp.join("gone")).write(SMALL),
      (err) => err instanceof WriteError && err.code === "ENOENT" && err.message.includes("/gone"),
    );
    assert.throws(
      () => testWriter(temp.join("file")).write(SMALL),
      (err) => err instanceof WriteError && err.code === "ENOTDIR",
    );
  });

  it("writes everything again when the directory was taken away and came back", () => {
    using temp = tempDir();
    const directory = temp.join("volume");
    mkdirSync(directory);
    const writer = testWriter(directory);
    writer.write(SMALL);
    execFileSync("rm", ["-r", directory]);
    assert.throws(() => writer.write(SMALL), WriteError);

    mkdirSync(directory);

    assert.equal(writer.write(SMALL).outcome, "written");
    assertExactly(directory, SMALL);
  });
});
