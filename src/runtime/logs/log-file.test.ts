import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { systemClock } from "../../base/clock.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { type TempDir, tempDir } from "../../base/testing/temp-dir.ts";
import { LogCompressor } from "./log-compressor.ts";
import { LineBuffer, LogFile } from "./log-file.ts";
import { WallTime } from "./wall-time.ts";

interface Bench {
  readonly log: LogFile;
  readonly clock: FakeClock;
  readonly path: string;
  readonly compressor: LogCompressor;
  readonly line: (text: string) => void;
}

function bench(dir: TempDir, maxBytes = 1e9): Bench {
  const clock = new FakeClock();
  const time = new WallTime(clock);
  const path = dir.join("pod", "app", "0.log");
  const compressor = new LogCompressor((what, err) => assert.fail(`${what}: ${String(err)}`));
  const rotation = { maxBytes, maxFiles: 5 };
  const log = new LogFile({ path, buffer: new LineBuffer(), rotation, time, clock, compressor });
  const line = (text: string): void => {
    const content = Buffer.from(text);
    log.add({ stamp: time.stamp(), stream: "stdout", isPartial: false, content });
    log.flush();
  };
  return { log, clock, path, compressor, line };
}

function contents(path: string): string[] {
  const text = path.endsWith(".gz")
    ? gunzipSync(readFileSync(path)).toString()
    : readFileSync(path, "utf8");
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split(" ").slice(3).join(" "));
}

test("LogFile makes its directory and goes on with a log that is there", () => {
  using dir = tempDir();
  const first = bench(dir);
  first.line("one");
  first.log.close();
  const { log, line, path } = bench(dir);
  log.open();
  line("two");
  log.close();
  assert.deepEqual(contents(path), ["one", "two"]);
});

test("LogFile removes half a line that a killed keeper has left", () => {
  using dir = tempDir();
  const first = bench(dir);
  first.line("one");
  first.log.close();
  appendFileSync(first.path, "2024-01-01T00:00:00.0000");
  const { log, line, path } = bench(dir);
  line("two");
  log.close();
  assert.deepEqual(contents(path), ["one", "two"]);
});

test("LogFile rotates, keeps five files in all, and compresses all old ones but the newest", async () => {
  using dir = tempDir();
  const { log, line, path, clock, compressor } = bench(dir, 100);
  for (let i = 0; i < 9; i++) {
    line(String(i).repeat(80));
    await clock.step(1000);
    await compressor.idle();
  }
  log.close();
  const names = readdirSync(dir.join("pod", "app")).sort();
  assert.deepEqual(names, [
    "0.log",
    "0.log.20240101-000005.gz",
    "0.log.20240101-000006.gz",
    "0.log.20240101-000007.gz",
    "0.log.20240101-000008",
  ]);
  assert.deepEqual(contents(dir.join("pod", "app", names[1] ?? "")), ["5".repeat(80)]);
  assert.deepEqual(contents(path), []);
});

test("LogFile loses nothing when it rotates many times within a second", async () => {
  using dir = tempDir();
  const { log, line, compressor } = bench(dir, 100);
  for (let i = 0; i < 4; i++) line(String(i).repeat(80));
  log.close();
  await compressor.idle();
  const names = readdirSync(dir.join("pod", "app")).filter((name) => name !== "0.log");
  const lines = names.sort().flatMap((name) => contents(dir.join("pod", "app", name)));
  assert.deepEqual(
    lines,
    [0, 1, 2, 3].map((i) => String(i).repeat(80)),
  );
});

test("LogFile rotates at once after the clock was set back by decades, and names stay in order", async () => {
  using dir = tempDir();
  const { log, line, compressor } = bench(dir, 100);
  dir.write({ "pod/app/0.log.20991231-235959": "" });
  const startedMs = systemClock.monotonicMs();
  line("x".repeat(80));
  log.close();
  // It took minutes to walk there second by second, in which no container's output was read.
  assert.ok(systemClock.monotonicMs() - startedMs < 5000);
  await compressor.idle();
  const names = readdirSync(dir.join("pod", "app")).sort();
  assert.deepEqual(names, ["0.log", "0.log.20991231-235959.gz", "0.log.21000101-000000"]);
});

test("LogFile drops and counts what it cannot write, and says so once it can", async () => {
  using dir = tempDir();
  const { log, line, path, clock } = bench(dir);
  // A file where a directory should be: open fails until it is gone.
  mkdirSync(dir.join("pod"));
  writeFileSync(dir.join("pod", "app"), "");
  line("lost");
  line("lost too");
  rmSync(dir.join("pod", "app"));
  await clock.step(1000);
  line("found");
  log.close();
  assert.deepEqual(contents(path), [
    "driftless: 2 lines were dropped here: the log cannot be written (EEXIST)",
    "found",
  ]);
});
