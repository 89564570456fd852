import assert from "node:assert/strict";
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  watch as watchFiles,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { Acknowledgement } from "../src/ack.js";
import { ConfigError } from "../src/config-error.js";
import type { Snapshot } from "../src/index.js";
import { eventually, open, passMs, temporaryDirectory } from "./situation.ts";
import { VolumeWriter } from "./volume-writer.ts";

interface Ack {
  readonly path: string;
  readonly pid: number;
  readonly noticed: { readonly version: string; readonly at: string } | null;
  readonly applied: { readonly version: string; readonly at: string } | null;
  readonly rejected: {
    readonly version: string | null;
    readonly stage: string;
    readonly reason: string;
    readonly at: string;
  } | null;
}

function situation(t: TestContext): { volume: VolumeWriter; ack: string; file: string } {
  const directory = temporaryDirectory(t);
  const volume = new VolumeWriter(join(directory, "config"));
  const ack = join(directory, "ack");
  mkdirSync(ack);
  const file = join(ack, `${encodeURIComponent(volume.directory)}.${process.pid}.json`);
  return { volume, ack, file };
}

function read(file: string): Ack {
  return JSON.parse(readFileSync(file, "utf8")) as Ack;
}

function refuseBad(taken: Snapshot): string {
  const text = taken.text("key");
  if (text.startsWith("bad")) throw new Error(`no ${text}`);
  return text;
}

describe("the acknowledgement", () => {
  it("names the applied version as soon as it is current, when nobody iterates", async (t) => {
    const { volume, ack, file } = situation(t);
    volume.write({ key: "1" });
    const { watch } = await open<string>(t, volume.directory, { ack, parse: refuseBad });
    const first = read(file);
    assert.equal(first.path, volume.directory);
    assert.equal(first.pid, process.pid);
    assert.equal(first.applied?.version, watch.version);
    assert.equal(first.rejected, null);
    assert.ok(Math.abs(Date.parse(first.applied?.at ?? "") - statSync(file).mtimeMs) < 60_000);
    assert.equal(statSync(file).mode & 0o777, 0o644 & ~process.umask());

    volume.write({ key: "2" });
    await eventually("2 is current", () => watch.current === "2");
    assert.equal(read(file).applied?.version, watch.version);
  });

  it("names the refused version beside the applied one, until a later one is applied", async (t) => {
    const { volume, ack, file } = situation(t);
    volume.write({ key: "1" });
    const { watch, errors } = await open<string>(t, volume.directory, { ack, parse: refuseBad });
    const { applied } = read(file);
    volume.write({ key: "bad" });
    await eventually("it is refused", () => errors.length === 1);
    const { applied: still, rejected } = read(file);
    assert.deepEqual(still, applied);
    assert.equal(rejected?.version, errors[0]?.version);
    assert.equal(rejected?.stage, "parse");
    assert.equal(rejected?.reason, "no bad");

    rmSync(volume.directory, { recursive: true });
    await eventually("it is gone", () => errors.length === 2);
    assert.equal(read(file).rejected?.stage, "read");
    assert.equal(read(file).rejected?.version, null);

    volume.write({ key: "2" });
    await eventually("2 is current", () => watch.current === "2");
    assert.equal(read(file).rejected, null);
    assert.equal(read(file).applied?.version, watch.version);
  });

  it("names the version that was noticed before the application has said anything to it", async (t) => {
    const { volume, ack, file } = situation(t);
    volume.write({ key: "1" });
    const slow = Promise.withResolvers<void>();
    const seen: string[] = [];
    const { watch } = await open<string>(t, volume.directory, {
      ack,
      parse: refuseBad,
      apply: ({ version }) => {
        seen.push(version);
        return seen.length === 2 ? slow.promise : undefined;
      },
    });
    const first = read(file);
    assert.equal(first.noticed?.version, watch.version);

    volume.write({ key: "2" });
    await eventually("it is being applied", () => seen.length === 2);
    const { noticed, applied } = read(file);
    assert.equal(noticed?.version, seen[1]);
    assert.equal(applied?.version, watch.version);
    slow.resolve();
    await eventually("2 is current", () => watch.current === "2");
    assert.deepEqual(read(file).noticed, noticed);
  });

  it("names a refused version as noticed, and the good one again when that is back", async (t) => {
    const { volume, ack, file } = situation(t);
    volume.write({ key: "1" });
    const { watch, errors } = await open<string>(t, volume.directory, { ack, parse: refuseBad });
    volume.write({ key: "bad" });
    await eventually("it is refused", () => errors.length === 1);
    assert.equal(read(file).noticed?.version, errors[0]?.version);
    volume.write({ key: "1" });
    await eventually("the error is gone", () => watch.error === undefined);
    assert.equal(read(file).noticed?.version, watch.version);
  });

  it("tells why an application did not start, and stays", async (t) => {
    const { volume, ack, file } = situation(t);
    volume.write({ key: "bad" });
    await assert.rejects(open(t, volume.directory, { ack, parse: refuseBad }));
    assert.equal(read(file).applied, null);
    assert.equal(read(file).rejected?.reason, "no bad");
  });

  it("waits until every reader has come back for more", async (t) => {
    const { volume, ack, file } = situation(t);
    volume.write({ key: "1" });
    const { watch } = await open<string>(t, volume.directory, { ack, parse: refuseBad });
    const one = watch[Symbol.asyncIterator]();
    const two = watch[Symbol.asyncIterator]();
    await Promise.all([one.next(), two.next()]);
    const first = watch.version;
    const waiting = [one.next(), two.next()];

    volume.write({ key: "2" });
    await Promise.all(waiting);
    assert.equal(read(file).applied?.version, first, "nobody has finished with it");
    void one.next();
    assert.equal(read(file).applied?.version, first, "one has not finished with it");
    void two.next();
    assert.equal(read(file).applied?.version, watch.version);
  });

  it("waits for a reader that is given a newer version when it comes back", async (t) => {
    const { volume, ack, file } = situation(t);
    volume.write({ key: "1" });
    const { watch } = await open<string>(t, volume.directory, { ack, parse: refuseBad });
    const first = watch.version;
    const reader = watch[Symbol.asyncIterator]();
    await reader.next();
    volume.write({ key: "2" });
    await eventually("2 is current", () => watch.current === "2");
    await reader.next();
    assert.equal(read(file).applied?.version, first);
    void reader.next();
    assert.equal(read(file).applied?.version, watch.version);
  });

  it("does not take leaving a loop for success, and goes on without the reader", async (t) => {
    const { volume, ack, file } = situation(t);
    volume.write({ key: "1" });
    const { watch } = await open<string>(t, volume.directory, { ack, parse: refuseBad });
    const first = watch.version;
    const failing = (async () => {
      for await (const { kind } of watch) if (kind === "update") throw new Error("cannot use it");
    })();
    volume.write({ key: "2" });
    await assert.rejects(failing, /cannot use it/);
    assert.equal(read(file).applied?.version, first);
    volume.write({ key: "3" });
    await eventually("3 is current", () => watch.current === "3");
    assert.equal(read(file).applied?.version, watch.version);
  });

  it("is not confirmed later either when a loop has failed on the version", async (t) => {
    const { volume, ack, file } = situation(t);
    volume.write({ key: "1" });
    const options = { ack, parse: refuseBad, pollMs: 5 };
    const { watch, errors } = await open<string>(t, volume.directory, options);
    const first = watch.version;
    const failing = (async () => {
      for await (const { kind } of watch) if (kind === "update") throw new Error("cannot use it");
    })();
    volume.write({ key: "2" });
    await assert.rejects(failing, /cannot use it/);
    // The same content again, then a refusal and back: each of it writes the file anew.
    volume.write({ key: "2" });
    await passMs(20);
    volume.write({ key: "bad" });
    await eventually("it is refused", () => errors.length === 1);
    volume.write({ key: "2" });
    await eventually("the refusal is gone", () => watch.error === undefined);
    assert.equal(read(file).applied?.version, first);

    const reader = watch[Symbol.asyncIterator]();
    await reader.next();
    void reader.next();
    assert.equal(read(file).applied?.version, watch.version, "a new loop has managed it");
  });

  it("is not confirmed by the leaving of the one reader who was behind", async (t) => {
    const { volume, ack, file } = situation(t);
    volume.write({ key: "1" });
    const { watch } = await open<string>(t, volume.directory, { ack, parse: refuseBad });
    const first = watch.version;
    const [one, two] = [watch[Symbol.asyncIterator](), watch[Symbol.asyncIterator]()];
    await Promise.all([one.next(), two.next()]);
    volume.write({ key: "2" });
    await Promise.all([one.next(), two.next()]);
    void one.next();
    await two.return?.();
    assert.equal(read(file).applied?.version, first);
  });

  it("takes its refusal back when the disk is back at the current version", async (t) => {
    const { volume, ack, file } = situation(t);
    volume.write({ key: "1" });
    const { watch, errors } = await open<string>(t, volume.directory, { ack, parse: refuseBad });
    volume.write({ key: "bad" });
    await eventually("it is refused", () => errors.length === 1);
    assert.equal(read(file).rejected?.stage, "parse");
    volume.write({ key: "1" });
    await eventually("the refusal is gone", () => watch.error === undefined);
    assert.equal(read(file).rejected, null);
    assert.equal(read(file).applied?.version, watch.version);
  });

  it("has a file per watch, also of the same path", async (t) => {
    const { volume, ack, file } = situation(t);
    volume.write({ key: "1" });
    const one = await open<string>(t, volume.directory, { ack, parse: refuseBad });
    const two = await open<Snapshot>(t, volume.directory, { ack, parse: (taken) => taken });
    const second = file.replace(/json$/, "0-1.json");
    const both = [basename(second), basename(file)];
    assert.deepEqual(readdirSync(ack).sort(), both);
    volume.write({ key: "bad" });
    await eventually("one has refused it", () => one.errors.length === 1);
    await eventually("two has taken it", () => two.watch.current.text("key") === "bad");
    assert.equal(read(file).rejected?.stage, "parse");
    assert.equal(read(second).applied?.version, two.watch.version);
    await one.watch.close();
    assert.deepEqual(readdirSync(ack), [basename(second)]);
    await open(t, volume.directory, { ack });
    assert.deepEqual(readdirSync(ack).sort(), both, "the plain name is free again");
  });

  it("names the thread where that is not the main one", async (t) => {
    const { volume, ack, file } = situation(t);
    volume.write({ key: "1" });
    const environment = { threadId: 3, claims: new Set<string>() };
    await open(t, volume.directory, { ack, environment });
    assert.deepEqual(readdirSync(ack), [basename(file).replace(/json$/, "3-0.json")]);
  });

  it("does not leave the word to a predecessor with the same pid", async (t) => {
    const { volume, ack, file } = situation(t);
    volume.write({ key: "1" });
    writeFileSync(file, '{"applied":{"version":"of another process"}}');
    let seen: Ack | undefined;
    await open(t, volume.directory, {
      ack,
      apply: () => {
        seen = read(file);
      },
    });
    assert.equal(seen?.applied, null);
    assert.equal(seen?.rejected, null);
  });

  it("uses the same file when the application tries to start again", async (t) => {
    const { volume, ack, file } = situation(t);
    volume.write({ key: "bad" });
    await assert.rejects(open(t, volume.directory, { ack, parse: refuseBad }));
    volume.write({ key: "1" });
    await open(t, volume.directory, { ack, parse: refuseBad });
    assert.deepEqual(readdirSync(ack), [basename(file)]);
    assert.equal(read(file).rejected, null);
  });

  it("keeps a refusal that is newer than the version that a reader confirms", async (t) => {
    const { volume, ack, file } = situation(t);
    volume.write({ key: "1" });
    const { watch, errors } = await open<string>(t, volume.directory, { ack, parse: refuseBad });
    const reader = watch[Symbol.asyncIterator]();
    await reader.next();
    volume.write({ key: "2" });
    await reader.next();
    volume.write({ key: "bad" });
    await eventually("it is refused", () => errors.length === 1);
    void reader.next();
    assert.equal(read(file).applied?.version, watch.version);
    assert.equal(read(file).rejected?.reason, "no bad");
  });

  it("is never seen half written, and leaves no other file behind", async (t) => {
    const { volume, ack, file } = situation(t);
    volume.write({ key: "0" });
    const { watch } = await open<string>(t, volume.directory, { ack, parse: refuseBad });
    // Held open: its inode is given to no other file.
    const first = openSync(file, "r");
    t.after(() => closeSync(first));
    const seen = new Set<string>();
    const watcher = watchFiles(ack, (_, name) => void (name !== null && seen.add(name)));
    t.after(() => watcher.close());
    volume.write({ key: "1" });
    await eventually("1 is current", () => watch.current === "1");
    await eventually("the rename is seen", () => seen.has(basename(file)));
    // Another inode: it was put in place as a whole, not written into.
    assert.notEqual(statSync(file).ino, fstatSync(first).ino);
    assert.deepEqual(readdirSync(ack), [basename(file)]);
    await watch.close();
    assert.deepEqual(readdirSync(ack), []);
  });

  it("does not write through a link that somebody has put at its temporary name", async (t) => {
    const { volume, ack, file } = situation(t);
    const precious = join(ack, "..", "precious");
    writeFileSync(precious, "mine");
    symlinkSync(precious, join(ack, `.driftless-ack.${process.pid}.0.tmp`));
    volume.write({ key: "1" });
    await open<string>(t, volume.directory, { ack, parse: refuseBad });
    assert.equal(readFileSync(precious, "utf8"), "mine");
    assert.equal(read(file).path, volume.directory);
  });

  it("never hurts when its directory is missing: reported once, tried again", async (t) => {
    const { volume, ack, file } = situation(t);
    volume.write({ key: "1" });
    rmSync(ack, { recursive: true });
    const { watch, errors } = await open<string>(t, volume.directory, { ack, parse: refuseBad });
    volume.write({ key: "2" });
    await eventually("2 is current", () => watch.current === "2");
    await passMs(1);
    assert.equal(errors.length, 1);
    assert.equal(errors[0]?.stage, "watch");
    assert.match(errors[0]?.message ?? "", /^Cannot write the acknowledgement ".*": ENOENT/);
    assert.equal(watch.error, undefined);
    mkdirSync(ack);
    volume.write({ key: "3" });
    await eventually("3 is current", () => watch.current === "3");
    assert.equal(read(file).applied?.version, watch.version);
  });

  it("is off when the option is empty, whatever the environment says", async (t) => {
    const { volume, ack } = situation(t);
    volume.write({ key: "1" });
    const environment = { ackDirectory: () => ack };
    const off = await open(t, volume.directory, { ack: "", environment });
    assert.deepEqual(readdirSync(ack), []);
    await off.watch.close();
    await open(t, volume.directory, { environment });
    assert.equal(readdirSync(ack).length, 1);
  });

  it("bounds its reason to 1 KiB and its name to 255 bytes", (t) => {
    const directory = temporaryDirectory(t);
    const path = `/${"ü".repeat(100)}`;
    const environment = { date: () => new Date(0), pid: 7, processName: "7.0", threadId: 0 };
    const onFailure = (message: string) => assert.fail(message);
    const ack = new Acknowledgement({
      directory,
      path,
      environment: { ...environment, claims: new Set<string>() },
      onFailure,
    });
    const refusal = { stage: "parse", path, version: undefined } as const;
    ack.record(undefined, new ConfigError("ä".repeat(1000), refusal));
    const [name = ""] = readdirSync(directory);
    assert.match(name, /^[0-9a-f]{64}\.7\.json$/);
    assert.equal(read(join(directory, name)).rejected?.reason, "ä".repeat(512));
  });
});
