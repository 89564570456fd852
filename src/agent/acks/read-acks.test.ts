import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import fc from "fast-check";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { parseAck, readAcks } from "./read-acks.ts";

const version = "a".repeat(64);
const at = "2026-11-15T20:00:00.000Z";
const good = {
  path: "/etc/config",
  pid: 7,
  noticed: { version, at },
  applied: { version, at },
  rejected: { version: null, stage: "parse", reason: "bad", at },
};

function namesRead(directory: string): readonly string[] {
  const found = [...readAcks(directory, new Map(), 128)];
  return found.filter(([, { content }]) => content !== undefined).map(([name]) => name);
}

const parsed = (value: unknown): ReturnType<typeof parseAck> =>
  parseAck(Buffer.from(JSON.stringify(value)));

describe("readAcks", () => {
  it("reads what the library writes", () => {
    const atMs = Date.parse(at);
    assert.deepEqual(parsed(good), {
      path: "/etc/config",
      pid: 7,
      noticed: { version, atMs },
      applied: { version, atMs },
      rejected: { version: undefined, stage: "parse", reason: "bad", atMs },
    });
    const older = parsed({ path: "/a", pid: 1, applied: null, rejected: null });
    assert.equal(older?.noticed, undefined, "a library that does not say what it noticed");
  });

  it("follows no link and waits for no pipe, and takes no directory, no device and no file in the making", () => {
    using dir = tempDir();
    using elsewhere = tempDir();
    elsewhere.write({ "host.json": JSON.stringify(good) });
    dir.write({ "good.7.json": JSON.stringify(good), ".tmp.json": JSON.stringify(good) });
    symlinkSync(elsewhere.join("host.json"), dir.join("link.json"));
    symlinkSync("/dev/zero", dir.join("zero.json"));
    mkdirSync(dir.join("directory.json"));
    execFileSync("mkfifo", [dir.join("pipe.json")]);
    assert.deepEqual(namesRead(dir.path), ["good.7.json"]);
    assert.deepEqual(namesRead(dir.join("missing")), []);
    assert.deepEqual(namesRead(dir.join("good.7.json")), []);
  });

  it("reads little of what is large, deep or many", () => {
    using dir = tempDir();
    writeFileSync(dir.join("large.json"), JSON.stringify({ ...good, more: "x".repeat(1e7) }));
    writeFileSync(dir.join("deep.json"), "[".repeat(32_000));
    assert.deepEqual(namesRead(dir.path), []);
    for (let i = 0; i < 5000; i++) writeFileSync(dir.join(`${i}.json`), JSON.stringify(good));
    const names = namesRead(dir.path);
    assert.ok(names.length > 100 && names.length <= 128, `${names.length} files`);
  });

  it("does not read again what has not changed", () => {
    using dir = tempDir();
    dir.write({ "a.json": JSON.stringify(good) });
    const before = readAcks(dir.path, new Map(), 10);
    assert.equal(readAcks(dir.path, before, 10).get("a.json"), before.get("a.json"));
  });

  it("takes nothing of the wrong type, and no control characters", () => {
    for (const bad of [
      { ...good, path: 7 },
      { ...good, path: "relative" },
      { ...good, path: `/${"x".repeat(5000)}` },
      { ...good, pid: "7" },
      { ...good, pid: 0 },
      { ...good, pid: 1.5 },
      { ...good, pid: 1e9 },
      [good],
      null,
      "text",
    ]) {
      assert.equal(parsed(bad), undefined, JSON.stringify(bad).slice(0, 100));
    }
    const odd = parsed({ ...good, noticed: { version: "A", at }, applied: { version, at: "now" } });
    assert.deepEqual([odd?.noticed, odd?.applied], [undefined, undefined]);
    const loud = { version, stage: 5, reason: `\u001b[31m${"x".repeat(9000)}`, at };
    const { rejected } = parsed({ ...good, rejected: loud }) ?? {};
    assert.equal(rejected?.stage, "unknown");
    assert.match(rejected?.reason ?? "", /^ \[31mx{100}/);
    assert.ok((rejected?.reason.length ?? 0) <= 1024);
  });

  it("makes something or nothing of any bytes", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json().map((text) => Buffer.from(text)),
          fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        ),
        (bytes) => {
          const ack = parseAck(bytes);
          assert.ok(ack === undefined || ack.path.startsWith("/"));
        },
      ),
    );
  });
});
