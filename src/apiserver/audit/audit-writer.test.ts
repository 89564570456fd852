import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { describe, it } from "node:test";
import { createMetrics } from "../../base/metrics.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { type TempDir, tempDir } from "../../base/testing/temp-dir.ts";
import { AuditWriter } from "./audit-writer.ts";
import { LogFile, type LogFileOptions } from "./log-file.ts";

interface Limits extends Partial<LogFileOptions> {
  readonly maxWaiting?: number;
}

/** A writer that runs, on real files and with a clock that stands still. */
class Running implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly logger = new CaptureLogger();
  readonly metrics = createMetrics();
  readonly path: string;
  readonly writer: AuditWriter;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(dir: TempDir, { maxWaiting = 1e6, ...limits }: Limits = {}) {
    const { clock, logger, metrics } = this;
    this.path = dir.join("logs", "audit.log");
    const file = new LogFile({
      path: this.path,
      maxBytes: 1e6,
      maxAgeMs: 0,
      maxBackups: 0,
      maxBackupAgeMs: 0,
      clock,
      logger,
      ...limits,
    });
    this.writer = new AuditWriter({ file, maxWaiting, clock, logger, metrics });
    this.#running = this.writer.run(this.#stop.signal);
    // Tests that expect it to fail wait for it themselves.
    this.#running.catch(() => undefined);
  }

  async write(...lines: readonly string[]): Promise<void> {
    for (const line of lines) this.writer.write(line);
    await this.writer.flush();
  }

  get text(): string {
    return readFileSync(this.path, "utf8");
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop().catch(() => undefined);
  }
}

function contents(dir: TempDir): Readonly<Record<string, string>> {
  const names = readdirSync(dir.join("logs")).toSorted();
  return Object.fromEntries(
    names.map((name) => [name, readFileSync(dir.join("logs", name), "utf8")]),
  );
}

describe("AuditWriter", () => {
  it("writes lines in order, in a file and a directory that nobody else can read", async () => {
    using dir = tempDir();
    await using running = new Running(dir);
    await running.writer.ready();
    await running.write("a", "b");
    await running.write("c");
    assert.equal(running.text, "a\nb\nc\n");
    assert.equal(statSync(running.path).mode & 0o777, 0o600);
    assert.equal(statSync(dir.join("logs")).mode & 0o777, 0o700);
  });

  it("collects what comes within a moment, and writes it then without being asked", async () => {
    using dir = tempDir();
    await using running = new Running(dir);
    await running.writer.ready();
    running.writer.write("a");
    await running.clock.step(99);
    running.writer.write("b");
    assert.equal(running.text, "");
    await running.clock.step(1);
    await running.writer.flush();
    assert.equal(running.text, "a\nb\n");
  });

  it("writes what waits when it is stopped", async () => {
    using dir = tempDir();
    const running = new Running(dir);
    await running.writer.ready();
    running.writer.write("last");
    await running.stop();
    assert.equal(running.text, "last\n");
    assert.equal(running.clock.waiting, 0);
  });

  it("goes on behind what is there, and ends a line that a crash left half", async () => {
    using dir = tempDir();
    dir.write({ "logs/audit.log": 'whole\n{"half' });
    await using running = new Running(dir);
    await running.write("new");
    assert.equal(running.text, 'whole\n{"half\nnew\n');
  });

  it("does not start where it cannot write", async () => {
    using dir = tempDir();
    mkdirSync(dir.join("logs", "audit.log"), { recursive: true });
    const running = new Running(dir);
    await assert.rejects(running.writer.ready(), { code: "EISDIR" });
    await assert.rejects(running.stop(), { code: "EISDIR" });
  });

  it("drops what does not fit, counts it, and tells it once a minute", async () => {
    using dir = tempDir();
    await using running = new Running(dir, { maxWaiting: 10 });
    await running.writer.ready();
    for (let i = 0; i < 5; i++) running.writer.write("12345678");
    await running.clock.step(60_000);
    await running.writer.flush();
    assert.equal(running.text, "12345678\n");
    for (let i = 0; i < 3; i++) running.writer.write("12345678");
    const told = running.logger.records.filter(({ message }) => message.includes("dropped"));
    assert.deepEqual(
      told.map(({ level, fields }) => [level, fields["dropped"]]),
      [
        ["warn", 1],
        ["warn", 4],
      ],
    );
    assert.match(await running.metrics.text(), /apiserver_audit_dropped_total 6/);
  });

  it("takes a backlog that is larger than one write", async () => {
    using dir = tempDir();
    await using running = new Running(dir, { maxWaiting: 1e7, maxBytes: 1e8 });
    const lines = Array.from({ length: 3000 }, (_, i) => `${i} ${"ü".repeat(1000)}`);
    await running.write(...lines);
    assert.equal(running.text, `${lines.join("\n")}\n`);
  });
});

describe("AuditWriter rotates", () => {
  it("by size, with the time in the old file's name, and keeps as many as it should", async () => {
    using dir = tempDir();
    await using running = new Running(dir, { maxBytes: 10, maxBackups: 2 });
    for (const line of ["1111111", "2222222", "3333333", "4444444"]) {
      await running.write(line);
      await running.clock.step(1000);
    }
    assert.deepEqual(contents(dir), {
      "audit-2024-01-01T00-00-02.000.log": "2222222\n",
      "audit-2024-01-01T00-00-03.000.log": "3333333\n",
      "audit.log": "4444444\n",
    });
    assert.equal(statSync(running.path).mode & 0o777, 0o600);
  });

  it("counts what was in the file before it was started", async () => {
    using dir = tempDir();
    dir.write({ "logs/audit.log": "before, long\n" });
    await using running = new Running(dir, { maxBytes: 15 });
    await running.write("after");
    assert.equal(running.text, "after\n");
  });

  it("by age", async () => {
    using dir = tempDir();
    await using running = new Running(dir, { maxAgeMs: 3_600_000 });
    await running.write("a");
    await running.clock.step(3_599_999);
    await running.write("b");
    await running.clock.step(1);
    await running.write("c");
    assert.equal(running.text, "c\n");
  });

  it("without overwriting a backup of the same moment", async () => {
    using dir = tempDir();
    await using running = new Running(dir, { maxBytes: 5 });
    for (const line of ["aaaa", "bbbb", "cccc"]) await running.write(line);
    assert.deepEqual(Object.values(contents(dir)), ["aaaa\n", "bbbb\n", "cccc\n"]);
  });

  it("never in the middle of a line, whatever its length", async () => {
    using dir = tempDir();
    await using running = new Running(dir, { maxBytes: 5 });
    await running.write("a".repeat(100));
    await running.write("b");
    assert.deepEqual(Object.values(contents(dir)), [`${"a".repeat(100)}\n`, "b\n"]);
  });

  it("not at all if it cannot, and says so once a minute, and loses nothing", async () => {
    using dir = tempDir();
    // Takes no stamp: the longest name that a file can have is 255 bytes.
    const path = dir.join("logs", `${"a".repeat(240)}.log`);
    await using running = new Running(dir, { maxBytes: 5, path });
    for (const line of ["aaaa", "bbbb", "cccc"]) await running.write(line);
    await running.clock.step(60_000);
    await running.write("dddd");
    assert.equal(readFileSync(path, "utf8"), "aaaa\nbbbb\ncccc\ndddd\n");
    const told = running.logger.records.map(({ message }) => message);
    assert.deepEqual(told, Array(2).fill("cannot rotate a log, and go on with the old file"));
  });
});

describe("AuditWriter, when somebody else moves its file,", () => {
  it("opens a new one when it is told", async () => {
    using dir = tempDir();
    await using running = new Running(dir);
    await running.write("a");
    renameSync(running.path, `${running.path}.1`);
    await running.write("b");
    running.writer.reopen();
    await running.write("c");
    assert.deepEqual(contents(dir), { "audit.log": "c\n", "audit.log.1": "a\nb\n" });
  });

  it("finds out by itself", async () => {
    using dir = tempDir();
    await using running = new Running(dir);
    await running.write("a");
    renameSync(running.path, `${running.path}.1`);
    writeFileSync(running.path, "");
    await running.clock.step(10_000);
    await running.write("b");
    assert.deepEqual(contents(dir), { "audit.log": "b\n", "audit.log.1": "a\n" });
  });

  it("goes on at the beginning of a file that was cut", async () => {
    using dir = tempDir();
    await using running = new Running(dir, { maxBytes: 10 });
    await running.write("aaaaaaa");
    truncateSync(running.path);
    await running.clock.step(10_000);
    await running.write("bbbbbbb");
    assert.deepEqual(contents(dir), { "audit.log": "bbbbbbb\n" });
  });

  it("does not lose what others append", async () => {
    using dir = tempDir();
    await using running = new Running(dir);
    await running.write("a");
    appendFileSync(running.path, "theirs\n");
    await running.write("b");
    assert.equal(running.text, "a\ntheirs\nb\n");
  });
});
