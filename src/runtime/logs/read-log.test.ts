import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { type TempDir, tempDir } from "../../base/testing/temp-dir.ts";
import type { LogStream } from "./cri-log-line.ts";
import { LogCompressor } from "./log-compressor.ts";
import { LineBuffer, LogFile } from "./log-file.ts";
import type { LogQuery } from "./log-query.ts";
import { readLog } from "./read-log.ts";
import { WallTime } from "./wall-time.ts";

interface Entry {
  readonly stream: LogStream;
  readonly isPartial: boolean;
  readonly content: string;
}

type Step = readonly Entry[] | "compress";

const everything: LogQuery = { follow: false, hasTimestamps: false, stream: "all" };

/** A log that is written here, and remembers what was. */
class WrittenLog implements AsyncDisposable {
  readonly #dir: TempDir = tempDir();
  readonly path: string = this.#dir.join("logs", "0.log");
  readonly clock: FakeClock = new FakeClock();
  readonly #time = new WallTime(this.clock);
  readonly #compressor = new LogCompressor((what, err) => assert.fail(`${what}: ${String(err)}`));
  readonly #file: LogFile;
  readonly entries: (Entry & { readonly stamp: string; readonly ms: number })[] = [];

  constructor(rotation = { maxBytes: 400, maxFiles: 10_000 }) {
    const { path, clock } = this;
    const buffer = new LineBuffer();
    // Compressed when a test wants it.
    const compressor = new LogCompressor(() => undefined);
    compressor.add = () => undefined;
    this.#file = new LogFile({ path, buffer, rotation, time: this.#time, clock, compressor });
    mkdirSync(dirname(path), { recursive: true });
    this.#file.open();
  }

  async step(step: Step): Promise<void> {
    if (step === "compress") await this.compress();
    else await this.write(...step);
  }

  async write(...entries: readonly Entry[]): Promise<void> {
    await this.clock.step(1);
    for (const entry of entries) {
      const stamp = this.#time.stamp();
      this.entries.push({ ...entry, stamp, ms: this.clock.now() });
      this.#file.add({ ...entry, stamp, content: Buffer.from(entry.content, "latin1") });
    }
    this.#file.flush();
  }

  async lines(...contents: readonly string[]): Promise<void> {
    await this.write(
      ...contents.map((content) => ({ stream: "stdout" as const, isPartial: false, content })),
    );
  }

  async compress(): Promise<void> {
    this.#compressor.add(this.path);
    await this.#compressor.idle();
  }

  read(
    query: Partial<LogQuery> = {},
    options: { readonly signal?: AbortSignal; readonly ended?: Promise<void> } = {},
  ): AsyncGenerator<Buffer, void, undefined> {
    return readLog({
      path: this.path,
      query: { ...everything, ...query },
      clock: this.clock,
      signal: options.signal ?? new AbortController().signal,
      ended: options.ended ?? Promise.withResolvers<void>().promise,
    });
  }

  get names(): readonly string[] {
    return readdirSync(dirname(this.path)).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#compressor.idle();
    this.#file.close();
    this.#dir[Symbol.dispose]();
  }
}

/** The same as simply as it can be said. `known` entries were there when the reading began. */
function expected(
  entries: WrittenLog["entries"],
  query: LogQuery,
  known: number = entries.length,
): string {
  const isOfStream = ({ stream }: Entry): boolean =>
    query.stream === "all" || stream === query.stream;
  const lines: (typeof entries)[] = [];
  let isNew = true;
  for (const entry of entries.slice(0, known).filter(isOfStream)) {
    if (isNew) lines.push([]);
    lines.at(-1)?.push(entry);
    isNew = !entry.isPartial;
  }
  const tailLines = Math.min(query.tailLines ?? lines.length, lines.length);
  const wanted = [
    ...lines.slice(lines.length - tailLines),
    ...entries.slice(known).filter(isOfStream),
  ];
  return printed(wanted.flat(), query);
}

function printed(entries: WrittenLog["entries"], query: LogQuery): string {
  let text = "";
  for (const entry of entries) {
    if (query.sinceMs !== undefined && entry.ms < query.sinceMs) continue;
    if (query.hasTimestamps && (text === "" || text.endsWith("\n"))) text += `${entry.stamp} `;
    text += entry.content + (entry.isPartial ? "" : "\n");
  }
  return text.slice(0, query.limitBytes);
}

async function textOf(log: AsyncIterable<Buffer>): Promise<string> {
  let text = "";
  for await (const bytes of log) text += bytes.toString("latin1");
  return text;
}

const entry = fc.record({
  stream: fc.constantFrom<LogStream>("stdout", "stderr"),
  isPartial: fc.boolean(),
  // A part is never empty: the keeper cuts a line only when there is something of it.
  content: fc.oneof(
    fc.stringMatching(/^[a-z\xff ]{1,30}$/),
    fc.integer({ min: 1000, max: 16_384 }).map((length) => "x".repeat(length)),
  ),
});
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.array(entry, { minLength: 1, maxLength: 6 }) },
    { weight: 1, arbitrary: fc.constant("compress" as const) },
  ),
  { maxLength: 12 },
);
const anyQuery = fc.record({
  tailLines: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
  sinceMs: fc.option(fc.integer({ min: -1, max: 12 }), { nil: undefined }),
  limitBytes: fc.option(fc.integer({ min: 1, max: 2000 }), { nil: undefined }),
  hasTimestamps: fc.boolean(),
  stream: fc.constantFrom<LogQuery["stream"]>("all", "stdout", "stderr"),
});

describe("readLog", () => {
  it("prints what a naive reader of all that was ever written would, whatever was rotated and compressed", async () => {
    await fc.assert(
      fc.asyncProperty(steps, anyQuery, async (written, query) => {
        await using log = new WrittenLog();
        const began = log.clock.now();
        for (const step of written) await log.step(step);
        const sinceMs = query.sinceMs === undefined ? undefined : began + query.sinceMs;
        const asked = { ...everything, ...query, sinceMs };
        assert.equal(await textOf(log.read(asked)), expected(log.entries, asked));
      }),
      { numRuns: 150 },
    );
  });

  it("follows any sequence of writes, rotations and compressions without losing or repeating anything", async () => {
    await fc.assert(
      fc.asyncProperty(steps, steps, anyQuery, async (before, after, query) => {
        await using log = new WrittenLog();
        // Something to print at once, so that it is known when the reader has found its place.
        await log.write({ stream: "stderr", isPartial: false, content: "first" });
        for (const step of before) await log.step(step);
        await log.write({ stream: "stdout", isPartial: false, content: "known" });
        const known = log.entries.length;
        const ended = Promise.withResolvers<void>();
        const asked = { ...everything, ...query, sinceMs: undefined, follow: true };
        const first = expected(log.entries, asked);
        let text = "";
        const hasBegun = Promise.withResolvers<void>();
        const reading = (async () => {
          for await (const bytes of log.read(asked, { ended: ended.promise })) {
            text += bytes.toString("latin1");
            if (text.length >= first.length) hasBegun.resolve();
          }
        })();
        await Promise.race([hasBegun.promise, reading]);
        for (const step of after) await log.step(step);
        ended.resolve();
        await reading;
        assert.equal(text, expected(log.entries, asked, known));
      }),
      { numRuns: 60 },
    );
  });

  it("follows a log that is rotated and compressed faster than it is read", async () => {
    await using log = new WrittenLog();
    await log.lines("first");
    const ended = Promise.withResolvers<void>();
    const following = log.read({ follow: true }, { ended: ended.promise });
    let text = String((await following.next()).value);
    for (let i = 0; i < 100; i++) await log.lines(`${i} ${"x".repeat(150)}`);
    await log.compress();
    assert.ok(log.names.filter((name) => name.endsWith(".gz")).length > 20);
    ended.resolve();
    text += await textOf(following);
    assert.equal(text, expected(log.entries, everything));
  });

  it("reads one block for the last line of a long log", async () => {
    await using log = new WrittenLog({ maxBytes: 100_000_000, maxFiles: 5 });
    for (let i = 0; i < 300; i++) await log.lines("x".repeat(16_000), String(i));
    const parts: Buffer[] = [];
    for await (const bytes of log.read({ tailLines: 1 })) parts.push(bytes);
    assert.deepEqual(parts.map(String), ["299\n"]);
  });

  it("starts at the end for a tail of no lines, and goes on from there", async () => {
    await using log = new WrittenLog();
    await log.lines("old");
    const following = log.read({ follow: true, tailLines: 0 });
    let text: string | undefined;
    const first = following.next().then(({ value }) => {
      text = String(value);
    });
    // Until one is written after the reader has found the end.
    while (text === undefined) {
      await log.lines("new");
      // The reader does the like, and comes along.
      await stat(log.path);
    }
    await first;
    assert.match(text, /^(new\n)+$/);
    await following.return();
  });

  it("leaves files alone that were last written before the time that is asked for", async () => {
    await using log = new WrittenLog();
    for (let i = 0; i < 10; i++) await log.lines(`${i} ${"x".repeat(500)}`);
    const old = new Date(log.clock.now() - 60_000);
    for (const name of log.names.filter((one) => one !== "0.log")) {
      const path = join(dirname(log.path), name);
      // Would not be taken for a line, let alone printed.
      writeFileSync(path, `${"x".repeat(30)} stdout F not to be read\n`);
      utimesSync(path, old, old);
    }
    const sinceMs = log.clock.now();
    await log.lines("new");
    assert.equal(await textOf(log.read({ sinceMs })), "new\n");
    assert.match(await textOf(log.read({})), /not to be read/);
  });

  it("waits for the rest of a line of which it has seen the beginning", async () => {
    await using log = new WrittenLog();
    await log.lines("whole");
    const stamp = log.entries[0]?.stamp ?? "";
    appendFileSync(log.path, `${stamp} stdout F to`);
    const following = log.read({ follow: true });
    assert.equal(String((await following.next()).value), "whole\n");
    const next = following.next();
    appendFileSync(log.path, "rn\n");
    assert.equal(String((await next).value), "torn\n");
    await following.return();
    appendFileSync(log.path, `${stamp} stdout F to`);
    assert.equal(await textOf(log.read({ tailLines: 1 })), "torn\n");
  });

  it("ends when the log that it follows is removed, after what was in it", async () => {
    await using log = new WrittenLog();
    await log.lines("last words");
    const following = log.read({ follow: true });
    assert.equal(String((await following.next()).value), "last words\n");
    const next = following.next();
    rmSync(log.path);
    assert.deepEqual(await next, { done: true, value: undefined });
  });

  it("ends when its directory is removed", async () => {
    await using log = new WrittenLog();
    await log.lines("last words");
    const following = log.read({ follow: true });
    await following.next();
    const next = following.next();
    rmSync(dirname(log.path), { recursive: true });
    assert.deepEqual(await next, { done: true, value: undefined });
  });

  it("ends without an error when nobody wants it any more", async () => {
    await using log = new WrittenLog();
    await log.lines("hello");
    const stop = new AbortController();
    const following = log.read({ follow: true }, { signal: stop.signal });
    await following.next();
    const next = following.next();
    stop.abort();
    assert.deepEqual(await next, { done: true, value: undefined });
  });

  it("fails if there is no log", async () => {
    await using log = new WrittenLog();
    rmSync(log.path);
    await assert.rejects(textOf(log.read()), { code: "ENOENT" });
  });

  it("does not chase a container that writes faster than it reads", async () => {
    await using log = new WrittenLog();
    await log.lines("one", "two");
    const reading = log.read();
    const parts: string[] = [];
    for await (const bytes of reading) {
      parts.push(String(bytes));
      await log.lines("more");
    }
    assert.equal(parts.join(""), "one\ntwo\n");
  });
});
