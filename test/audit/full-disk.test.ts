// The audit log on a disk that is really full: the server is told, goes on, and the log has whole lines afterwards.

import assert from "node:assert/strict";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { AuditWriter } from "../../src/apiserver/audit/audit-writer.ts";
import { LogFile } from "../../src/apiserver/audit/log-file.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { FakeClock } from "../../src/base/testing/fake-clock.ts";
import { tmpfs } from "../support/tmpfs.ts";

const line = (i: number): string => JSON.stringify({ i, text: "x".repeat(1000) });

class Running implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly logger = new CaptureLogger();
  readonly metrics = createMetrics();
  readonly writer: AuditWriter;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(path: string) {
    const { clock, logger, metrics } = this;
    const limits = { maxBytes: 1e9, maxAgeMs: 0, maxBackups: 0, maxBackupAgeMs: 0 };
    const file = new LogFile({ path, ...limits, clock, logger });
    this.writer = new AuditWriter({ file, maxWaiting: 50_000, clock, logger, metrics });
    this.#running = this.writer.run(this.#stop.signal);
  }

  /** Lines from, to; those that did not fit are dropped. */
  async write(from: number, to: number): Promise<void> {
    for (let i = from; i < to; i++) this.writer.write(line(i));
    await this.writer.flush();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** The numbers of the lines. Throws if one is not whole. */
function numbersIn(path: string): readonly number[] {
  const text = readFileSync(path, "utf8");
  assert.ok(text === "" || text.endsWith("\n"));
  const lines = text.split("\n").slice(0, -1);
  return lines.map((each) => (JSON.parse(each) as { readonly i: number }).i);
}

const upTo = (end: number): readonly number[] => Array.from({ length: end }, (_, i) => i);

describe("AuditWriter on a full disk", () => {
  it("keeps trying, says so, and completes the line that was cut when there is room", async (t) => {
    using disk = tmpfs("size=64k");
    if (!("path" in disk)) return t.skip(disk.reason);
    const path = `${disk.path}/audit.log`;
    await using running = new Running(path);
    writeFileSync(`${disk.path}/ballast`, Buffer.alloc(40_000));
    await running.write(0, 40);
    assert.ok(!readFileSync(path, "utf8").endsWith("\n"), "a line is cut by the end of the disk");
    const told = running.logger.records.map(({ level, message }) => `${level}: ${message}`);
    assert.deepEqual(told, ["warn: cannot write the audit log, and try again"]);
    assert.match(await running.metrics.text(), /apiserver_audit_error_total 1/);

    rmSync(`${disk.path}/ballast`);
    await running.clock.step(1000);
    await running.writer.flush();
    assert.deepEqual(numbersIn(path), upTo(40));
    assert.match(running.logger.records.at(-1)?.message ?? "", /written again/);
  });

  it("drops what comes beyond the bound, and nothing else", async (t) => {
    using disk = tmpfs("size=64k");
    if (!("path" in disk)) return t.skip(disk.reason);
    const path = `${disk.path}/audit.log`;
    await using running = new Running(path);
    writeFileSync(`${disk.path}/ballast`, Buffer.alloc(60_000));
    await running.write(0, 10);
    for (let i = 10; i < 200; i++) running.writer.write(line(i));
    const dropped = /apiserver_audit_dropped_total (\d+)/.exec(await running.metrics.text());
    rmSync(`${disk.path}/ballast`);
    await running.clock.step(1000);
    await running.writer.flush();
    assert.deepEqual(numbersIn(path), upTo(200 - Number(dropped?.[1])));
  });

  it("writes the cut line again, whole, where the file was moved away meanwhile", async (t) => {
    using disk = tmpfs("size=64k");
    if (!("path" in disk)) return t.skip(disk.reason);
    const path = `${disk.path}/audit.log`;
    await using running = new Running(path);
    writeFileSync(`${disk.path}/ballast`, Buffer.alloc(40_000));
    await running.write(0, 40);
    renameSync(path, `${path}.1`);
    rmSync(`${disk.path}/ballast`);
    running.writer.reopen();
    await running.writer.flush();
    const moved = readFileSync(`${path}.1`, "utf8").split("\n").length - 1;
    assert.deepEqual(numbersIn(path), upTo(40).slice(moved));
  });

  it("stops at once, and the next start ends the cut line", async (t) => {
    using disk = tmpfs("size=64k");
    if (!("path" in disk)) return t.skip(disk.reason);
    const path = `${disk.path}/audit.log`;
    const first = new Running(path);
    writeFileSync(`${disk.path}/ballast`, Buffer.alloc(40_000));
    await first.write(0, 40);
    await first.stop();
    rmSync(`${disk.path}/ballast`);
    await using second = new Running(path);
    await second.write(100, 101);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    assert.equal(lines.at(-1), line(100));
    assert.ok(line(lines.length - 2).startsWith(lines.at(-2) ?? "-"));
  });

  it("starts without a file if there is no room even for that, and makes it later", async (t) => {
    using disk = tmpfs("size=64k,nr_inodes=2");
    if (!("path" in disk)) return t.skip(disk.reason);
    const ballast = `${disk.path}/ballast`;
    const path = `${disk.path}/audit.log`;
    writeFileSync(ballast, "");
    await using running = new Running(path);
    await running.writer.ready();
    await running.write(0, 3);
    assert.match(running.logger.records[0]?.message ?? "", /cannot write the audit log/);
    rmSync(ballast);
    await running.clock.step(1000);
    await running.writer.flush();
    assert.deepEqual(numbersIn(path), [0, 1, 2]);
  });
});
