import assert from "node:assert/strict";
import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { describe, it, type TestContext } from "node:test";
import { systemClock } from "../base/clock.ts";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { tempDir } from "../base/testing/temp-dir.ts";
import { Payload } from "./payload.ts";
import { currentProcess } from "./process-identity.ts";
import { readVersion } from "./read-version.ts";
import { payloadOf, testWriter } from "./testing/test-writer.ts";
import { assertExactly, octal, readThroughData } from "./testing/volume-checks.ts";
import { WriteError } from "./write-error.ts";

const GROUP = 4242;

/** A clock a minute ahead: everything on disk is then old enough to be remembered. */
const laterClock = { ...systemClock, now: () => systemClock.now() + 60_000 };

function modeOf(path: string): string {
  return octal(lstatSync(path).mode & 0o7777);
}

function skipUnlessRoot(t: TestContext): boolean {
  const root = process.getuid?.() === 0;
  if (!root) t.skip("needs root, to change owners and groups");
  return !root;
}

describe("AtomicWriter, when nothing changed", () => {
  it("Z1 keeps the version, its inodes and its times", () => {
    using dir = tempDir();
    const writer = testWriter(dir.path);
    const payload = payloadOf({ a: "1", "b/c": "2" });
    writer.write(payload);
    const look = (): string =>
      ["..data", "..data/a", "..data/b/c", "a", "."]
        .map((name) => lstatSync(dir.join(name), { bigint: true }))
        .map((stats) => `${stats.ino} ${stats.mtimeNs} ${stats.ctimeNs}`)
        .join();
    const before = look();

    const again = writer.write(payloadOf({ a: "1", "b/c": "2" }));

    assert.equal(again.outcome, "unchanged");
    assert.equal(again.version, payload.version);
    assert.equal(look(), before);
  });

  it("notices a lost link although it remembers the volume", () => {
    using dir = tempDir();
    const writer = testWriter(dir.path, { clock: laterClock });
    const payload = payloadOf({ a: "1", b: "2" });
    writer.write(payload);
    writer.write(payload);
    unlinkSync(dir.join("a"));

    assert.equal(writer.write(payload).outcome, "repaired");
    assertExactly(dir.path, payload);
  });

  it("notices a file that was added to or removed from the version although it remembers it", () => {
    using dir = tempDir();
    const writer = testWriter(dir.path, { clock: laterClock });
    const payload = payloadOf({ a: "1", b: "2" });
    writer.write(payload);
    writer.write(payload);
    unlinkSync(dir.join("..data", "b"));

    assert.equal(writer.write(payload).difference?.reason, "damaged");
    assertExactly(dir.path, payload);
  });

  it("notices that another process replaced the version it remembers", () => {
    using dir = tempDir();
    const writer = testWriter(dir.path, { clock: laterClock });
    const payload = payloadOf({ a: "1" });
    writer.write(payload);
    writer.write(payload);
    testWriter(dir.path).write(payloadOf({ a: "2", b: "2" }));

    assert.equal(writer.write(payload).difference?.reason, "content");
    assertExactly(dir.path, payload);
  });

  it("notices what was added to or removed from a sub-directory although it remembers it", () => {
    using dir = tempDir();
    const writer = testWriter(dir.path, { clock: laterClock });
    const payload = payloadOf({ a: "1", "b/c": "2", "b/d": "3" });
    writer.write(payload);
    writer.write(payload);
    unlinkSync(dir.join("..data", "b/c"));
    writeFileSync(dir.join("..data", "b/evil"), "x");

    assert.equal(writer.write(payload).difference?.reason, "damaged");
    assertExactly(dir.path, payload);
  });

  it("does not rely on times that are too fresh to tell two changes apart", () => {
    using dir = tempDir();
    const writer = testWriter(dir.path);
    const payload = payloadOf({ a: "1" });
    writer.write(payload);
    writer.write(payload);
    const { atime, mtime } = statSync(dir.path);
    unlinkSync(dir.join("a"));
    utimesSync(dir.path, atime, mtime);

    assert.equal(writer.write(payload).outcome, "repaired");
  });

  it("takes links for granted only while the root is as it was left", () => {
    using dir = tempDir();
    const writer = testWriter(dir.path, { clock: laterClock });
    writer.write(payloadOf({ a: "1" }));
    writer.write(payloadOf({ a: "1" }));
    writeFileSync(dir.join("b"), "foreign");

    writer.write(payloadOf({ b: "2" }));

    assertExactly(dir.path, payloadOf({ b: "2" }));
  });

  it("finds tampered content of the same size in deep verification only", () => {
    using dir = tempDir();
    const writer = testWriter(dir.path);
    const payload = payloadOf({ a: "1", b: "2" });
    writer.write(payload);
    writeFileSync(dir.join("..data", "b"), "X");

    assert.equal(writer.write(payload).outcome, "unchanged");
    assert.deepEqual(writer.write(payload, { verify: "deep" }).difference, {
      reason: "damaged",
      path: "b",
    });
    assertExactly(dir.path, payload);
  });

  it("W1 reads contents once after a restart of the machine, which may have emptied them", () => {
    using dir = tempDir();
    const payload = payloadOf({ a: "1234" });
    testWriter(dir.path).write(payload);
    writeFileSync(dir.join("..data", "a"), "\0\0\0\0");
    const self = { ...currentProcess(), bootId: "11111111-2222-4333-8444-555555555555" };

    assert.equal(testWriter(dir.path, { self }).write(payload).difference?.reason, "damaged");
    assertExactly(dir.path, payload);
  });
});

describe("AtomicWriter versions", () => {
  it("can be read from the volume without reading the files", () => {
    using dir = tempDir();
    const payload = payloadOf({ a: "1", "b/c": "2" });
    assert.equal(readVersion(dir.path), undefined);

    testWriter(dir.path).write(payload);

    assert.equal(readVersion(dir.path), payload.version);
    testWriter(dir.path).write(payloadOf({ a: "2" }));
    assert.equal(readVersion(dir.path), payloadOf({ a: "2" }).version);
  });

  it("are not known for a volume that somebody else wrote", () => {
    using dir = tempDir();
    mkdirSync(dir.join("..2024_01_01_00_00_00.7"));
    symlinkSync("..2024_01_01_00_00_00.7", dir.join("..data"));

    assert.equal(readVersion(dir.path), undefined);
  });

  it("have the kubelet's names, with the process in the number, and none that exists", () => {
    using dir = tempDir();
    const self = { ...currentProcess(), pid: 4_194_303 };
    const random = { next: () => 0, uint32: () => 1022 };
    const clock = new FakeClock();
    const writer = testWriter(dir.path, { self, random, clock, keepPreviousMs: 1000 });
    writeFileSync(dir.join("..2024_01_01_00_00_00.4294966272"), "in the way");

    const names = ["1", "2", "3"].map((a) => writer.write(payloadOf({ a })).versionDirectory);

    assert.deepEqual(names, [
      "..2024_01_01_00_00_00.4294967294",
      "..2024_01_01_00_00_00.4294967295",
      "..2024_01_01_00_00_00.4294966273",
    ]);
  });

  it("tell nobody more than the files do", () => {
    using dir = tempDir();
    const record = dir.join("..data", "..version");

    testWriter(dir.path).write(payloadOf({ a: ["1", 0o644], b: ["2", 0o640] }));
    assert.equal(modeOf(record), "0440");
    testWriter(dir.path).write(payloadOf({ a: ["1", 0o400], b: ["2", 0o644] }));
    assert.equal(modeOf(record), "0400");
    testWriter(dir.path).write(payloadOf({}));
    assert.equal(modeOf(record), "0444");
  });
});

describe("AtomicWriter owners and modes", () => {
  it("Z12 makes directories 0755 and files exact under any umask", () => {
    using dir = tempDir();
    const umask = process.umask(0o077);
    try {
      testWriter(dir.path).write(payloadOf({ "a/b/c": ["1", 0o666] }));
    } finally {
      process.umask(umask);
    }

    assert.equal(modeOf(`${dir.path}/..data/.`), "0755");
    assert.equal(modeOf(dir.join("..data", "a")), "0755");
    assert.equal(modeOf(dir.join("..data", "a/b")), "0755");
    assert.equal(modeOf(dir.join("..data", "a/b/c")), "0666");
  });

  it("gives everything to the group before it becomes visible", (t) => {
    if (skipUnlessRoot(t)) return;
    using dir = tempDir();
    const payload = payloadOf({ a: ["1", 0o400], "b/c": ["2", 0o644] });

    testWriter(dir.path, { fsGroup: GROUP }).write(payload);

    assertExactly(dir.path, payload, { fsGroup: GROUP });
    assert.equal(modeOf(dir.join("..data", "a")), "0440");
    assert.equal(modeOf(dir.join("..data", "b")), "2755");
    assert.equal(modeOf(`${dir.path}/..data/.`), "2755");
    assert.equal(modeOf(dir.path), "2750");
    for (const name of [".", "a", "b", "..data", "..data/b", "..data/..version"]) {
      assert.equal(lstatSync(dir.join(name)).gid, GROUP, `group of ${name}`);
    }
  });

  it("Z11 writes again when the group alone changes", (t) => {
    if (skipUnlessRoot(t)) return;
    using dir = tempDir();
    const payload = payloadOf({ a: "1" });
    testWriter(dir.path, { fsGroup: GROUP }).write(payload);

    const result = testWriter(dir.path, { fsGroup: GROUP + 1 }).write(payload);

    assert.equal(result.difference?.reason, "metadata");
    assertExactly(dir.path, payload, { fsGroup: GROUP + 1 });
    assert.equal(lstatSync(dir.join("a")).gid, GROUP + 1);
  });

  it("Z11 sets right the group of a file, a directory or a link that somebody changed", (t) => {
    if (skipUnlessRoot(t)) return;
    for (const name of ["..data/b/c", "..data/b", "a"]) {
      using dir = tempDir();
      const payload = payloadOf({ a: "1", "b/c": "2" });
      testWriter(dir.path, { fsGroup: GROUP }).write(payload);
      const { mode } = lstatSync(dir.join(name));
      lchownSync(dir.join(name), 0, GROUP + 1);
      if (name !== "a") chmodSync(dir.join(name), mode & 0o7777);

      testWriter(dir.path, { fsGroup: GROUP }).write(payload);

      assertExactly(dir.path, payload, { fsGroup: GROUP });
      assert.equal(lstatSync(dir.join(name)).gid, GROUP, name);
    }
  });

  it("gives a volume that is reached through a link to the group, once", (t) => {
    if (skipUnlessRoot(t)) return;
    using dir = tempDir();
    mkdirSync(dir.join("real"));
    symlinkSync("real", dir.join("volume"));
    const writer = testWriter(dir.join("volume"), { fsGroup: GROUP });
    writer.write(payloadOf({ a: "1" }));

    assert.equal(writer.write(payloadOf({ a: "1" })).outcome, "unchanged");
    assert.equal(statSync(dir.join("real")).gid, GROUP);
  });

  it("refuses a number that is no group", () => {
    for (const fsGroup of [-1, 0.5, 2 ** 32 - 1]) {
      assert.throws(() => testWriter("/nowhere", { fsGroup }), RangeError);
    }
  });

  it("Z11 takes a file back from an owner that is no longer asked for", (t) => {
    if (skipUnlessRoot(t)) return;
    using dir = tempDir();
    const file = { data: Buffer.from("t"), mode: 0o600 };
    testWriter(dir.path).write(Payload.from([["token", { ...file, uid: 1001 }]]));

    const result = testWriter(dir.path).write(Payload.from([["token", file]]));

    assert.deepEqual(result.difference, { reason: "metadata", path: "token" });
    assert.equal(statSync(dir.join("token")).uid, 0);
  });

  it("Z11 writes again when an owner alone changes, and leaves the links to root", (t) => {
    if (skipUnlessRoot(t)) return;
    using dir = tempDir();
    const owned = (uid: number): Payload =>
      Payload.from([
        ["token", { data: Buffer.from("t"), mode: 0o600, uid }],
        ["ca", { data: Buffer.from("c"), mode: 0o644 }],
      ]);
    const writer = testWriter(dir.path);
    writer.write(owned(1001));

    const result = writer.write(owned(1002));

    assert.deepEqual(result.difference, { reason: "metadata", path: "token" });
    assertExactly(dir.path, owned(1002));
    assert.equal(lstatSync(dir.join("token")).uid, 0);
    assert.equal(statSync(dir.join("token")).uid, 1002);
  });
});

describe("AtomicWriter with a grace time", () => {
  it("W9 keeps a replaced version readable until its time is over", async () => {
    using dir = tempDir();
    const clock = new FakeClock();
    const writer = testWriter(dir.path, { clock, keepPreviousMs: 1000 });
    const { versionDirectory } = writer.write(payloadOf({ a: "1" }));

    writer.write(payloadOf({ a: "2" }));

    assert.equal(readFileSync(dir.join(versionDirectory, "a"), "utf8"), "1");
    assert.equal(writer.sweep(), 1000);
    await clock.step(999);
    assert.equal(writer.sweep(), 1);
    assertExactly(dir.path, payloadOf({ a: "2" }), { versions: 2 });
    await clock.step(1);
    assert.equal(writer.sweep(), undefined);
    assertExactly(dir.path, payloadOf({ a: "2" }));
  });

  it("removes what is over at the next write, also when that changes nothing", async () => {
    using dir = tempDir();
    const clock = new FakeClock();
    const writer = testWriter(dir.path, { clock, keepPreviousMs: 1000 });
    writer.write(payloadOf({ a: "1" }));
    writer.write(payloadOf({ a: "2" }));
    await clock.step(5000);

    writer.write(payloadOf({ a: "2" }));

    assertExactly(dir.path, payloadOf({ a: "2" }));
  });

  it("keeps at most 1,024, however fast the versions come", () => {
    using dir = tempDir();
    const writer = testWriter(dir.path, { clock: laterClock, keepPreviousMs: 3_600_000 });
    for (let i = 0; i <= 1030; i++) writer.write(payloadOf({ a: String(i) }));

    assertExactly(dir.path, payloadOf({ a: "1030" }), { versions: 1025 });
  });

  it("Z2 is not blocked by a ..data_tmp or ..data_prev that a crash left pointing to a whole version", () => {
    using dir = tempDir();
    const { versionDirectory } = testWriter(dir.path).write(payloadOf({ a: "1" }));
    symlinkSync(versionDirectory, dir.join("..data_tmp"));
    symlinkSync(versionDirectory, dir.join("..data_prev"));
    const writer = testWriter(dir.path, { keepPreviousMs: 60_000 });

    writer.write(payloadOf({ a: "2", b: "2" }));

    assertExactly(dir.path, payloadOf({ a: "2", b: "2" }), { versions: 2 });
  });

  it("G4 never removes a version that somebody turned ..data back to", async () => {
    using dir = tempDir();
    const clock = new FakeClock();
    const writer = testWriter(dir.path, { clock, keepPreviousMs: 1000 });
    const { versionDirectory } = writer.write(payloadOf({ a: "1" }));
    writer.write(payloadOf({ a: "2" }));
    unlinkSync(dir.join("..data"));
    symlinkSync(versionDirectory, dir.join("..data"));
    writer.write(payloadOf({ a: "1" }));
    await clock.step(5000);

    writer.sweep();

    assert.equal(readFileSync(dir.join("a"), "utf8"), "1");
    writer.write(payloadOf({ a: "1" }));
    assert.equal(readFileSync(dir.join("a"), "utf8"), "1");
  });

  it("starts the time anew for a version that an earlier process had replaced", async () => {
    using dir = tempDir();
    const first = testWriter(dir.path, { keepPreviousMs: 1000 });
    first.write(payloadOf({ a: "1" }));
    first.write(payloadOf({ a: "2" }));
    const clock = new FakeClock();
    const second = testWriter(dir.path, { clock, keepPreviousMs: 1000 });

    second.write(payloadOf({ a: "2" }));
    assertExactly(dir.path, payloadOf({ a: "2" }), { versions: 2 });
    await clock.step(1000);
    second.sweep();

    assertExactly(dir.path, payloadOf({ a: "2" }));
  });
});

describe("AtomicWriter payloads at the edge", () => {
  it("writes bytes that are not UTF-8, values of 1 MiB and empty files as they are", () => {
    using dir = tempDir();
    const payload = payloadOf({
      binary: Uint8Array.from({ length: 256 }, (_, i) => i),
      big: Buffer.alloc(1024 * 1024, "0123456789abcdef!"),
      empty: "",
    });

    testWriter(dir.path).write(payload);

    assertExactly(dir.path, payload);
  });

  it("writes 10,000 keys, and knows them again", () => {
    using dir = tempDir();
    const payload = payloadOf(
      Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`key-${i}`, `value ${i}`])),
    );
    const writer = testWriter(dir.path);

    writer.write(payload);

    assert.equal(readThroughData(dir.path).length, 10_000);
    assert.equal(writer.write(payload).outcome, "unchanged");
    const fewer = payloadOf({ "key-1": "alone" });
    writer.write(fewer);
    assertExactly(dir.path, fewer);
  });

  it("refuses a path that is legal by itself but too long below this directory", () => {
    using dir = tempDir();
    const path = `${"d".repeat(200)}/`.repeat(20);
    const payload = payloadOf({ [`${path}${"f".repeat(60)}`]: "x" });

    assert.throws(
      () => testWriter(dir.path).write(payload),
      (err) => err instanceof WriteError && /too long for the system below/.test(err.message),
    );
    assert.deepEqual(readdirSync(dir.path), []);
  });

  it("writes names with spaces, quotes, newlines and any script", () => {
    using dir = tempDir();
    const payload = payloadOf({ "a b": "1", 'q"uote': "2", "new\nline": "3", "ключ/鍵": "4" });

    testWriter(dir.path).write(payload);

    assertExactly(dir.path, payload);
    assert.equal(readlinkSync(dir.join("ключ")), "..data/ключ");
  });
});

describe("AtomicWriter beside what others put there", () => {
  it("leaves alone a link whose name is not UTF-8", () => {
    using dir = tempDir();
    const name = Buffer.concat([Buffer.from(`${dir.path}/bad-`), Buffer.from([0xff, 0xfe])]);
    symlinkSync("nowhere", name);
    const writer = testWriter(dir.path);

    writer.write(payloadOf({ a: "1" }));
    writer.write(payloadOf({ b: "2" }));

    assert.equal(readFileSync(dir.join("b"), "utf8"), "2");
    assert.equal(lstatSync(name).isSymbolicLink(), true);
  });

  it("does not remove a directory of others that ..data was pointed to", () => {
    using dir = tempDir();
    dir.write({ "nested-mount/precious": "kept" });
    symlinkSync("nested-mount", dir.join("..data"));

    testWriter(dir.path).write(payloadOf({ a: "1" }));

    assertExactly(dir.path, payloadOf({ a: "1" }), { foreign: ["nested-mount"] });
    assert.equal(readFileSync(dir.join("nested-mount/precious"), "utf8"), "kept");
  });

  it("writes a ..data that names its version by another spelling anew", () => {
    for (const spell of [(v: string) => `./${v}`, (v: string) => `${v}/`]) {
      using dir = tempDir();
      const { versionDirectory } = testWriter(dir.path).write(payloadOf({ a: "1" }));
      unlinkSync(dir.join("..data"));
      symlinkSync(spell(versionDirectory), dir.join("..data"));

      const result = testWriter(dir.path).write(payloadOf({ a: "1" }));

      assert.deepEqual(result.difference, { reason: "damaged", path: "..data" });
      assertExactly(dir.path, payloadOf({ a: "1" }));
    }
  });

  it("shows names in errors on one line and not at any length", () => {
    assert.throws(
      () => payloadOf({ "a\nb": "1", "./a\nb": "2" }),
      (err) => err instanceof Error && err.message.includes("a\\nb") && !err.message.includes("\n"),
    );
  });
});
