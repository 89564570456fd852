import assert from "node:assert/strict";
import {
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { systemEnvironment } from "../src/environment.js";
import { type Snapshot, type StandardSchema, snapshot, watchConfig } from "../src/index.js";
import { FakeClock } from "./fake-clock.ts";
import { eventually, open, passMs, temporaryDirectory } from "./situation.ts";
import { VolumeWriter } from "./volume-writer.ts";

type Texts = Readonly<Record<string, string>>;

function newVolume(t: TestContext): VolumeWriter {
  return new VolumeWriter(join(temporaryDirectory(t), "config"));
}

function isTexts(value: unknown): value is Texts {
  return typeof value === "object" && value !== null;
}

/** Parses `port: <number>` from the key `app`, and refuses anything else. */
function parsePort(taken: Snapshot): number {
  const port = /^port: (\d+)$/.exec(taken.text("app"))?.[1];
  if (port === undefined) throw new Error("no port");
  return Number(port);
}

describe("watchConfig on a volume", () => {
  it("survives 200 swaps in a row and ends at the last", async (t) => {
    const volume = newVolume(t);
    volume.write({ key: "0" });
    const { watch, errors } = await open<Texts>(t, volume.directory);
    for (let n = 1; n <= 200; n += 1) volume.write({ key: String(n) });
    await eventually("the last version is current", () => watch.current["key"] === "200");
    assert.equal(watch.version, snapshot(volume.directory).version);
    assert.deepEqual(errors, []);
  });

  it("sees each of 50 swaps that are spaced by their arrival", async (t) => {
    const volume = newVolume(t);
    volume.write({ key: "0" });
    const { watch } = await open<Texts>(t, volume.directory);
    for (let n = 1; n <= 50; n += 1) {
      volume.write({ key: String(n) });
      await eventually(`version ${n} is current`, () => watch.current["key"] === String(n));
    }
  });

  it("follows a file inside, and is not disturbed by other keys", async (t) => {
    const volume = newVolume(t);
    volume.write({ "app.json": '{"port":1}', other: "a" });
    let applied = 0;
    const { watch } = await open<{ port: number }>(t, join(volume.directory, "app.json"), {
      apply: () => {
        applied += 1;
      },
    });
    assert.equal(watch.current.port, 1);
    volume.write({ "app.json": '{"port":1}', other: "b" });
    volume.write({ "app.json": '{"port":1}', other: "c" });
    volume.write({ "app.json": '{"port":2}', other: "c" });
    await eventually("port 2 is current", () => watch.current.port === 2);
    assert.equal(applied, 2);
    assert.deepEqual(watch.snapshot.keys, ["app.json"]);
  });

  it("tells which keys were added, changed and removed", async (t) => {
    const volume = newVolume(t);
    volume.write({ same: "1", changes: "1", goes: "1" });
    const { watch } = await open<Texts>(t, volume.directory);
    const reader = watch[Symbol.asyncIterator]();
    const first = await reader.next();
    assert.ok(!first.done);
    assert.equal(first.value.kind, "initial");
    assert.deepEqual(first.value.added, ["changes", "goes", "same"]);

    volume.write({ same: "1", changes: "2", comes: "1" });
    const second = await reader.next();
    assert.ok(!second.done);
    const { kind, added, changed, removed, value } = second.value;
    assert.deepEqual(
      { kind, added, changed, removed },
      {
        kind: "update",
        added: ["comes"],
        changed: ["changes"],
        removed: ["goes"],
      },
    );
    assert.deepEqual(value, { same: "1", changes: "2", comes: "1" });
  });

  it("does not deliver content again that was only written again", async (t) => {
    const volume = newVolume(t);
    volume.write({ key: "1" });
    let applied = 0;
    const { watch } = await open<Texts>(t, volume.directory, {
      apply: () => {
        applied += 1;
      },
    });
    volume.write({ key: "1" });
    volume.write({ key: "1" });
    volume.write({ key: "2" });
    await eventually("key 2 is current", () => watch.current["key"] === "2");
    assert.equal(applied, 2);
  });

  it("goes through an empty volume and 10,000 keys", async (t) => {
    const volume = newVolume(t);
    volume.write({});
    const { watch } = await open<Texts>(t, volume.directory);
    assert.deepEqual(watch.current, {});
    const files: Record<string, string> = {};
    for (let n = 0; n < 10_000; n += 1) files[`key-${n}`] = String(n);
    volume.write(files);
    await eventually("all keys are there", () => Object.keys(watch.current).length === 10_000);
    volume.write({});
    await eventually("all keys are gone", () => Object.keys(watch.current).length === 0);
  });

  it("misses nothing that changed while the first value was being applied", async (t) => {
    const volume = newVolume(t);
    volume.write({ key: "1" });
    const { watch } = await open<Texts>(t, volume.directory, {
      // No event arrives at all: only the second look after the start can find the change.
      environment: { watch: () => () => {} },
      apply: ({ kind }) => {
        if (kind === "initial") volume.write({ key: "2" });
      },
    });
    assert.equal(watch.current["key"], "2");
  });

  it("finds by polling what no event told", async (t) => {
    const volume = newVolume(t);
    volume.write({ key: "1" });
    const environment = { watch: () => () => {} };
    const { watch } = await open<Texts>(t, volume.directory, { environment, pollMs: 10 });
    volume.write({ key: "2" });
    await eventually("key 2 is current", () => watch.current["key"] === "2");
  });

  it("does not read when events are not about ..data", async (t) => {
    const volume = newVolume(t);
    volume.write({ key: "1" });
    let clockReads = 0;
    const { watch } = await open<Texts>(t, volume.directory, {
      environment: {
        // Asked once per snapshot, and by the debounce.
        now: () => {
          clockReads += 1;
          return systemEnvironment.now();
        },
      },
    });
    const before = clockReads;
    for (let n = 0; n < 20; n += 1) writeFileSync(join(volume.directory, `..noise-${n}`), "");
    await passMs(100);
    assert.equal(clockReads, before);
    volume.write({ key: "2" });
    await eventually("key 2 is current", () => watch.current["key"] === "2");
  });

  it("keeps the last good value when the volume vanishes, says so once, and returns with it", async (t) => {
    const volume = newVolume(t);
    volume.write({ key: "1" });
    const { watch, errors } = await open<Texts>(t, volume.directory, { pollMs: 10 });
    for (let round = 2; round <= 4; round += 1) {
      rmSync(volume.directory, { recursive: true });
      await eventually("the loss is reported", () => errors.length === round - 1);
      assert.equal(watch.error?.stage, "read");
      assert.equal(watch.current["key"], String(round - 1));
      await passMs(100);
      volume.write({ key: String(round) });
      await eventually("the new value is current", () => watch.current["key"] === String(round));
      assert.equal(watch.error, undefined);
      assert.equal(errors.length, round - 1, errors.map(({ message }) => message).join("\n"));
    }
  });

  it("returns by events alone when the parents vanish and come back", async (t) => {
    const top = temporaryDirectory(t);
    const volume = new VolumeWriter(join(top, "a", "b", "config"));
    volume.write({ key: "1" });
    const { watch, errors } = await open<Texts>(t, volume.directory);
    rmSync(join(top, "a"), { recursive: true });
    await eventually("the loss is reported", () => errors.length > 0);
    mkdirSync(join(top, "a"));
    await passMs(20);
    mkdirSync(join(top, "a", "b"));
    await passMs(20);
    volume.write({ key: "2" });
    await eventually("key 2 is current", () => watch.current["key"] === "2");
  });

  it("lets a removal settle before it calls it a loss", async (t) => {
    const volume = newVolume(t);
    volume.write({ key: "1" });
    const clock = new FakeClock();
    const environment = { now: clock.now, after: clock.after };
    const { watch, errors } = await open<Texts>(t, volume.directory, { environment });
    rmSync(volume.directory, { recursive: true });
    await eventually("the removal was noticed", () => clock.waiting > 0);
    volume.write({ key: "2" });
    await passMs(20);
    clock.advance(1000);
    await eventually("key 2 is current", () => watch.current["key"] === "2");
    assert.deepEqual(errors, []);
  });

  it("takes a version whose files appear only after the link to them", async (t) => {
    const volume = newVolume(t);
    volume.write({ key: "1" });
    const { watch, errors } = await open<Texts>(t, volume.directory, { pollMs: 10 });
    symlinkSync("..late", join(volume.directory, "..data_tmp"));
    renameSync(join(volume.directory, "..data_tmp"), join(volume.directory, "..data"));
    await eventually("the loss is reported", () => errors.length === 1);
    mkdirSync(join(volume.directory, "..new"));
    writeFileSync(join(volume.directory, "..new", "key"), "2");
    renameSync(join(volume.directory, "..new"), join(volume.directory, "..late"));
    await eventually("key 2 is current", () => watch.current["key"] === "2");
    assert.equal(errors.length, 1);
  });

  it("does not mistake a volume that is being built for an empty one", async (t) => {
    const volume = newVolume(t);
    volume.write({ key: "1" });
    const { watch, errors } = await open<Texts>(t, volume.directory);
    rmSync(volume.directory, { recursive: true });
    mkdirSync(volume.directory);
    await eventually("the loss is reported", () => errors.length === 1);
    assert.equal(watch.current["key"], "1");
    volume.write({ key: "2" });
    await eventually("key 2 is current", () => watch.current["key"] === "2");
    assert.equal(errors.length, 1);
  });

  it("follows another directory that is renamed to its place", async (t) => {
    const volume = newVolume(t);
    volume.write({ key: "1" });
    const { watch } = await open<Texts>(t, volume.directory);
    const successor = new VolumeWriter(`${volume.directory}-new`);
    successor.write({ key: "2" });
    renameSync(volume.directory, `${volume.directory}-old`);
    renameSync(successor.directory, volume.directory);
    await eventually("key 2 is current", () => watch.current["key"] === "2");
    volume.write({ key: "3" });
    await eventually("key 3 is current", () => watch.current["key"] === "3");
  });

  it("becomes a plain directory and a volume again", async (t) => {
    const volume = newVolume(t);
    volume.write({ key: "1" });
    const { watch } = await open<Texts>(t, volume.directory);
    rmSync(volume.directory, { recursive: true });
    mkdirSync(volume.directory);
    writeFileSync(join(volume.directory, "key"), "plain");
    await eventually("the plain file is current", () => watch.current["key"] === "plain");
    unlinkSync(join(volume.directory, "key"));
    volume.write({ key: "2" });
    await eventually("key 2 is current", () => watch.current["key"] === "2");
    volume.write({ key: "3" });
    await eventually("key 3 is current", () => watch.current["key"] === "3");
  });

  it("follows a link from elsewhere", async (t) => {
    const volume = newVolume(t);
    volume.write({ "app.txt": "1" });
    const link = join(temporaryDirectory(t), "linked.txt");
    symlinkSync(join(volume.directory, "app.txt"), link);
    const { watch } = await open<string>(t, link);
    volume.write({ "app.txt": "2" });
    await eventually("2 is current", () => watch.current === "2");
  });
});

describe("watchConfig on plain files", () => {
  const saves: Readonly<Record<string, (file: string, content: string) => void>> = {
    "truncate and write": (file, content) => writeFileSync(file, content),
    "a temporary file and rename": (file, content) => {
      writeFileSync(`${file}.tmp`, content);
      renameSync(`${file}.tmp`, file);
    },
    "a backup by rename and a new file": (file, content) => {
      renameSync(file, `${file}~`);
      writeFileSync(file, content);
      unlinkSync(`${file}~`);
    },
    "removal and a new file": (file, content) => {
      unlinkSync(file);
      writeFileSync(file, content);
    },
  };
  for (const [how, save] of Object.entries(saves)) {
    it(`follows an editor that saves by ${how}`, async (t) => {
      const file = join(temporaryDirectory(t), "app.json");
      writeFileSync(file, '{"n":0}');
      const { watch, errors } = await open<{ n: number }>(t, file);
      for (let n = 1; n <= 3; n += 1) {
        save(file, `{"n":${n}}`);
        await eventually(`${n} is current`, () => watch.current.n === n);
      }
      assert.deepEqual(errors, []);
    });
  }

  it("ends at the last of two writes in a row", async (t) => {
    const file = join(temporaryDirectory(t), "app.txt");
    writeFileSync(file, "a");
    const { watch } = await open<string>(t, file);
    writeFileSync(file, "b");
    writeFileSync(file, "c");
    await eventually("c is current", () => watch.current === "c");
  });

  it("follows writes through another name of the file, as with a bind mount", async (t) => {
    const directory = temporaryDirectory(t);
    mkdirSync(join(directory, "here"));
    mkdirSync(join(directory, "there"));
    const file = join(directory, "here", "app.txt");
    writeFileSync(file, "1");
    linkSync(file, join(directory, "there", "app.txt"));
    const { watch } = await open<string>(t, file);
    for (const content of ["2", "3"]) {
      writeFileSync(join(directory, "there", "app.txt"), content);
      await eventually(`${content} is current`, () => watch.current === content);
    }
  });

  it("follows new sub-directories and files in them", async (t) => {
    const directory = temporaryDirectory(t);
    const { watch } = await open<Texts>(t, directory);
    mkdirSync(join(directory, "one", "two"), { recursive: true });
    writeFileSync(join(directory, "one", "two", "key"), "1");
    await eventually("1 is current", () => watch.current["one/two/key"] === "1");
    writeFileSync(join(directory, "one", "two", "key"), "2");
    await eventually("2 is current", () => watch.current["one/two/key"] === "2");
    rmSync(join(directory, "one"), { recursive: true });
    await eventually("the key is gone", () => Object.keys(watch.current).length === 0);
  });

  it("follows links in a directory that loops", async (t) => {
    const directory = temporaryDirectory(t);
    symlinkSync(".", join(directory, "loop"));
    writeFileSync(join(directory, "key"), "1");
    const { watch } = await open<Texts>(t, directory);
    writeFileSync(join(directory, "key"), "2");
    await eventually("2 is current", () => watch.current["key"] === "2");
    assert.deepEqual(watch.snapshot.keys, ["key"]);
  });

  it("follows a link that is turned, and its target", async (t) => {
    const directory = temporaryDirectory(t);
    for (const name of ["one", "two"]) {
      mkdirSync(join(directory, name));
      writeFileSync(join(directory, name, "key"), name);
    }
    symlinkSync("one", join(directory, "current"));
    const { watch } = await open<string>(t, join(directory, "current", "key"));
    assert.equal(watch.current, "one");
    symlinkSync("two", join(directory, "next"));
    renameSync(join(directory, "next"), join(directory, "current"));
    await eventually("two is current", () => watch.current === "two");
    writeFileSync(join(directory, "two", "key"), "three");
    await eventually("three is current", () => watch.current === "three");
  });

  it("comes back when the file does", async (t) => {
    const file = join(temporaryDirectory(t), "app.txt");
    writeFileSync(file, "1");
    const { watch, errors } = await open<string>(t, file);
    unlinkSync(file);
    await eventually("the loss is reported", () => errors.length === 1);
    assert.match(errors[0]?.message ?? "", /Cannot read ".*app\.txt": ENOENT/);
    writeFileSync(file, "1");
    await eventually("the error is cleared", () => watch.error === undefined);
    writeFileSync(file, "2");
    await eventually("2 is current", () => watch.current === "2");
    assert.equal(errors.length, 1);
  });

  it("polls when the system has no watchers left, and tells what to do", async (t) => {
    const file = join(temporaryDirectory(t), "app.txt");
    writeFileSync(file, "1");
    let isExhausted = true;
    const { watch, errors } = await open<string>(t, file, {
      pollMs: 5,
      environment: {
        watch: (path, listener) => {
          if (!isExhausted) return systemEnvironment.watch(path, listener);
          throw Object.assign(new Error("ENOSPC: System limit reached"), { code: "ENOSPC" });
        },
      },
    });
    assert.equal(errors.length, 1);
    assert.equal(errors[0]?.stage, "watch");
    assert.match(errors[0]?.message ?? "", /fs\.inotify\.max_user_watches/);
    writeFileSync(file, "22");
    await eventually("22 is current", () => watch.current === "22");
    isExhausted = false;
    writeFileSync(file, "333");
    await eventually("333 is current", () => watch.current === "333");
    assert.equal(errors.length, 1);
    assert.equal(watch.error, undefined);
  });

  it("replaces a watcher that failed later", async (t) => {
    const directory = temporaryDirectory(t);
    const fail: ((cause: unknown) => void)[] = [];
    const { watch, errors } = await open<Texts>(t, directory, {
      pollMs: 5,
      environment: {
        watch: (path, listener) => {
          fail.push(listener.error);
          return systemEnvironment.watch(path, listener);
        },
      },
    });
    fail[0]?.(new Error("lost"));
    await eventually("there is a new watcher", () => fail.length === 2);
    assert.match(
      errors[0]?.message ?? "",
      /Cannot watch for file events: lost; polling every second/,
    );
    writeFileSync(join(directory, "key"), "1");
    await eventually("1 is current", () => watch.current["key"] === "1");
  });
});

describe("a version that is refused", () => {
  it("rejects the start, with nothing left running", async (t) => {
    const file = join(temporaryDirectory(t), "app.json");
    writeFileSync(file, "{");
    let closed = 0;
    let opened = 0;
    const environment = {
      watch: (path: string, listener: Parameters<typeof systemEnvironment.watch>[1]) => {
        const close = systemEnvironment.watch(path, listener);
        opened += 1;
        return () => {
          closed += 1;
          close();
        };
      },
    };
    await assert.rejects(open(t, file, { environment }), {
      name: "ConfigError",
      stage: "parse",
      path: file,
    });
    assert.ok(opened > 0);
    assert.equal(closed, opened);
    await assert.rejects(watchConfig(`${file}.none`), { name: "ConfigError", stage: "read" });
  });

  it("keeps the last good value until the next good one, and is reported once", async (t) => {
    const volume = newVolume(t);
    volume.write({ app: "port: 1" });
    const { watch, errors } = await open(t, volume.directory, { parse: parsePort, pollMs: 5 });
    const bad = { app: "port: secret" };
    volume.write(bad);
    await eventually("the refusal is reported", () => errors.length === 1);
    assert.equal(watch.current, 1);
    assert.equal(watch.error, errors[0]);
    assert.equal(errors[0]?.stage, "parse");
    assert.equal(errors[0]?.message, "no port");
    assert.ok(errors[0]?.cause instanceof Error);
    assert.equal(errors[0]?.version, snapshot(volume.directory).version);

    volume.write(bad);
    await passMs(50);
    assert.equal(errors.length, 1);
    await watch.reload();
    assert.equal(errors.length, 2);

    volume.write({ app: "port: 2" });
    await eventually("port 2 is current", () => watch.current === 2);
    assert.equal(watch.error, undefined);
  });

  it("stands no longer when the disk is back at the current version", async (t) => {
    const volume = newVolume(t);
    volume.write({ app: "port: 1" });
    const { watch, errors } = await open(t, volume.directory, { parse: parsePort });
    volume.write({ app: "bad" });
    await eventually("the refusal is reported", () => errors.length === 1);
    volume.write({ app: "port: 1" });
    await eventually("the refusal is gone", () => watch.error === undefined);
    volume.write({ app: "bad" });
    await eventually("the same mistake is reported again", () => errors.length === 2);
  });

  it("never shows content in the errors of the built-in parsers", async (t) => {
    const volume = newVolume(t);
    volume.write({ "app.json": "{}" });
    const { watch, errors } = await open(t, volume.directory, { parse: "json" });
    volume.write({ "app.json": '{"password": secret}' });
    await eventually("the refusal is reported", () => errors.length === 1);
    assert.match(
      errors[0]?.message ?? "",
      /^Cannot parse ".*": key "app\.json": not valid JSON at line 1, column 14$/,
    );
    assert.equal(errors[0]?.cause, undefined);
    volume.write({ "app.json": Buffer.from("secret\xff", "latin1") });
    await eventually("the second refusal is reported", () => errors.length === 2);
    assert.match(errors[1]?.message ?? "", /it is not UTF-8/);
    assert.doesNotMatch(errors.map((error) => error.stack).join(), /secret/);
    assert.deepEqual(watch.current, { "app.json": {} });
  });

  it("may be refused by apply, before it becomes current", async (t) => {
    const volume = newVolume(t);
    volume.write({ app: "1" });
    const { watch, errors } = await open<Texts>(t, volume.directory, {
      apply: async ({ value, kind, added, changed }) => {
        await passMs(1);
        if (value["app"] === "2") throw new Error(`no ${kind} ${added.length} ${changed.join()}`);
      },
    });
    volume.write({ app: "2" });
    await eventually("the refusal is reported", () => errors.length === 1);
    assert.equal(errors[0]?.stage, "apply");
    assert.equal(errors[0]?.message, "no update 0 app");
    assert.equal(watch.current["app"], "1");
  });

  it("does not hurt the watch when onError throws or rejects", async (t) => {
    const volume = newVolume(t);
    volume.write({ app: "port: 1" });
    let calls = 0;
    const { watch, warnings } = await open(t, volume.directory, {
      parse: parsePort,
      onError: () => {
        calls += 1;
        if (calls === 1) throw new Error("broken");
        return Promise.reject(new Error("broken")) as never;
      },
    });
    volume.write({ app: "bad" });
    await eventually("the first failure is a warning", () => warnings.length === 1);
    volume.write({ app: "worse" });
    await eventually("the second failure is a warning", () => warnings.length === 2);
    assert.equal(warnings[0], "DRIFTLESS_PARSE no port");
    volume.write({ app: "port: 2" });
    await eventually("port 2 is current", () => watch.current === 2);
  });

  it("is a process warning when there is no onError", async (t) => {
    const volume = newVolume(t);
    volume.write({ app: "port: 1" });
    const watch = await watchConfig(volume.directory, { parse: parsePort, ack: "" });
    t.after(() => watch.close());
    const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
    volume.write({ app: "bad" });
    const warning = await warned;
    assert.equal(warning.name, "ConfigWarning");
    assert.equal(warning.message, "no port");
  });
});

describe("schema", () => {
  const positive: StandardSchema<number> = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value) => {
        const port = isTexts(value) ? Number(value["port"]) : Number.NaN;
        if (port > 0) return { value: port };
        return {
          issues: [
            { message: "must be positive", path: ["servers", 0, { key: "port" }] },
            { message: "second" },
            { message: "third", path: [] },
            { message: "fourth", path: [Symbol("x")] },
          ],
        };
      },
    },
  };

  it("turns the parsed value into the current one, also asynchronously", async (t) => {
    const volume = newVolume(t);
    volume.write({ port: "80" });
    const slow: StandardSchema<number> = {
      "~standard": {
        ...positive["~standard"],
        validate: async (value) => {
          await passMs(1);
          return positive["~standard"].validate(value);
        },
      },
    };
    assert.equal((await open(t, volume.directory, { schema: positive })).watch.current, 80);
    assert.equal((await open(t, volume.directory, { schema: slow })).watch.current, 80);
  });

  it("may be a function with the standard property, as some validators are", async (t) => {
    const volume = newVolume(t);
    volume.write({ port: "80" });
    const schema: StandardSchema<number> = Object.assign(() => 0, positive);
    assert.equal((await open(t, volume.directory, { schema })).watch.current, 80);
  });

  it("names every problem with its path, and the first three in the message", async (t) => {
    const volume = newVolume(t);
    volume.write({ port: "80" });
    const { watch, errors } = await open(t, volume.directory, { schema: positive });
    volume.write({ port: "-1" });
    await eventually("the refusal is reported", () => errors.length === 1);
    assert.equal(watch.current, 80);
    assert.equal(errors[0]?.stage, "schema");
    assert.deepEqual(errors[0]?.issues, [
      { message: "must be positive", path: "servers.0.port" },
      { message: "second", path: "" },
      { message: "third", path: "" },
      { message: "fourth", path: "Symbol(x)" },
    ]);
    assert.match(
      errors[0]?.message ?? "",
      /^The schema refuses ".*": servers\.0\.port: must be positive; second; third; and 1 more$/,
    );
  });

  it("refuses the version when it throws", async (t) => {
    const volume = newVolume(t);
    volume.write({ port: "80" });
    const schema: StandardSchema<number> = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: () => {
          throw new Error("broken schema");
        },
      },
    };
    await assert.rejects(open(t, volume.directory, { schema }), {
      stage: "schema",
      message: "broken schema",
    });
  });
});

describe("the default parser", () => {
  it("goes by the ending of a file", async (t) => {
    const directory = temporaryDirectory(t);
    const files: [string, string, unknown][] = [
      ["a.json", '{"a":1}', { a: 1 }],
      [".env", "A=1", { A: "1" }],
      ["prod.env", "A='x y'", { A: "x y" }],
      ["a.yaml", "a: 1", "a: 1"],
    ];
    for (const [name, content, expected] of files) {
      writeFileSync(join(directory, name), content);
      const { watch } = await open(t, join(directory, name));
      assert.deepEqual(watch.current, expected);
    }
  });

  it("reads every key of a directory in the format that is asked for", async (t) => {
    const volume = newVolume(t);
    volume.write({ a: '{"x":1}', b: "[2]" });
    const { watch } = await open(t, volume.directory, { parse: "json" });
    assert.deepEqual(watch.current, { a: { x: 1 }, b: [2] });
  });
});

describe("options", () => {
  it("are refused by name when they make no sense", async (t) => {
    const directory = temporaryDirectory(t);
    const bad: Record<string, unknown>[] = [
      ...[42, null, "yaml"].map((parse) => ({ parse })),
      ...[null, {}, 7].map((schema) => ({ schema })),
      { apply: 7 },
      { onError: "log" },
      ...[null, 50, { minMs: 2, maxMs: 1 }, { minMs: 1 }].map((debounce) => ({ debounce })),
      ...[-1, "5", Number.NaN, 2 ** 31].map((pollMs) => ({ pollMs })),
      { signal: {} },
      { ack: 5 },
    ];
    for (const options of bad) {
      const [name = ""] = Object.keys(options);
      await assert.rejects(watchConfig(directory, options), {
        name: "TypeError",
        message: new RegExp(`^Cannot watch "${directory}": the option "${name}" must be `),
      });
    }
    for (const path of ["", undefined, 7]) {
      await assert.rejects(
        watchConfig(path as string),
        /^TypeError: Cannot watch: the path must be/,
      );
    }
    await assert.rejects(watchConfig(directory, null as never), /options must be an object/);
  });

  it("may all be undefined", async (t) => {
    const { watch } = await open(t, temporaryDirectory(t), {
      parse: undefined,
      schema: undefined,
      apply: undefined,
      debounce: undefined,
      signal: undefined,
      ack: undefined,
    });
    assert.deepEqual(watch.current, {});
  });

  it("name only signals that a process can catch", async (t) => {
    const { watch } = await open(t, temporaryDirectory(t));
    for (const name of ["SIGNOPE", "SIGKILL", "toString", 1]) {
      assert.throws(() => watch.reloadOn(name as "SIGHUP"), {
        name: "TypeError",
        message: `Cannot reload on ${JSON.stringify(name)}: it must be the name of a signal that can be caught, such as "SIGHUP"`,
      });
    }
  });

  it("signal closes the watch, before and after it opened", async (t) => {
    const directory = temporaryDirectory(t);
    await assert.rejects(watchConfig(directory, { signal: AbortSignal.abort() }), {
      name: "AbortError",
    });
    const controller = new AbortController();
    const { watch } = await open(t, directory, { signal: controller.signal });
    const reader = watch[Symbol.asyncIterator]();
    await reader.next();
    const next = reader.next();
    controller.abort();
    assert.deepEqual(await next, { done: true, value: undefined });
  });

  it("debounce holds back a volume too when asked to", async (t) => {
    const volume = newVolume(t);
    volume.write({ key: "0" });
    let applied = 0;
    const { watch } = await open<Texts>(t, volume.directory, {
      debounce: { minMs: 500, maxMs: 10_000 },
      apply: () => {
        applied += 1;
      },
    });
    for (let n = 1; n <= 20; n += 1) {
      volume.write({ key: String(n) });
      await passMs(1);
    }
    await eventually("the last is current", () => watch.current["key"] === "20");
    assert.ok(applied < 20, `${applied} of 20 were applied: nothing was held back`);
  });
});

describe("reload", () => {
  it("parses again and delivers, also when nothing changed", async (t) => {
    const volume = newVolume(t);
    volume.write({ key: "1" });
    let parsed = 0;
    const { watch } = await open(t, volume.directory, {
      parse: () => {
        parsed += 1;
        return parsed;
      },
    });
    const reader = watch[Symbol.asyncIterator]();
    await reader.next();
    const next = reader.next();
    await watch.reload();
    const result = await next;
    assert.ok(!result.done);
    assert.equal(result.value.kind, "reload");
    assert.deepEqual(result.value.changed, []);
    assert.equal(watch.current, 2);
  });

  it("waits for a load that begins after the call, one at a time", async (t) => {
    const volume = newVolume(t);
    volume.write({ key: "1" });
    let running = 0;
    let parsed = 0;
    const { watch } = await open(t, volume.directory, {
      parse: async () => {
        running += 1;
        assert.equal(running, 1, "two loads at a time");
        await passMs(5);
        running -= 1;
        parsed += 1;
        return parsed;
      },
    });
    const first = watch.reload();
    const second = watch.reload();
    const third = watch.reload();
    await first;
    assert.equal(watch.current, 2);
    await Promise.all([second, third]);
    assert.equal(watch.current, 3);
  });

  it("and the start are done although changes never stop", { timeout: 60_000 }, async (t) => {
    const volume = newVolume(t);
    volume.write({ key: "0" });
    let loads = 0;
    const { watch } = await open(t, volume.directory, {
      // Every load finds that there was one more change meanwhile.
      apply: async () => {
        loads += 1;
        volume.write({ key: String(loads) });
        await passMs(2);
      },
    });
    await watch.reload();
    assert.ok(loads >= 2);
    await watch.close();
  });

  it("resolves when the version is bad, and after the watch was closed", async (t) => {
    const volume = newVolume(t);
    volume.write({ app: "port: 1" });
    const { watch, errors } = await open(t, volume.directory, { parse: parsePort });
    rmSync(volume.directory, { recursive: true });
    await watch.reload();
    assert.equal(errors.at(-1)?.stage, "read");
    await watch.close();
    await watch.reload();
  });
});

describe("iterating", () => {
  it("gives a slow reader the newest version, against what it saw last", async (t) => {
    const volume = newVolume(t);
    volume.write({ a: "1", b: "1" });
    const { watch } = await open<Texts>(t, volume.directory);
    const slow = watch[Symbol.asyncIterator]();
    const fast = watch[Symbol.asyncIterator]();
    await Promise.all([slow.next(), fast.next()]);
    volume.write({ a: "2", b: "1" });
    const update = await fast.next();
    assert.ok(!update.done);
    assert.deepEqual(update.value.changed, ["a"]);
    volume.write({ a: "2", c: "1" });
    await fast.next();
    const merged = await slow.next();
    assert.ok(!merged.done);
    const { added, changed, removed, value } = merged.value;
    assert.deepEqual({ added, changed, removed }, { added: ["c"], changed: ["a"], removed: ["b"] });
    assert.deepEqual(value, { a: "2", c: "1" });
  });

  it("gives nothing to a reader for whom all is as it was", async (t) => {
    const volume = newVolume(t);
    volume.write({ a: "1" });
    const { watch } = await open<Texts>(t, volume.directory);
    const reader = watch[Symbol.asyncIterator]();
    await reader.next();
    volume.write({ a: "2" });
    await eventually("2 is current", () => watch.current["a"] === "2");
    volume.write({ a: "1" });
    await eventually("1 is current", () => watch.current["a"] === "1");
    const next = reader.next();
    volume.write({ a: "3" });
    const result = await next;
    assert.ok(!result.done);
    assert.equal(result.value.value["a"], "3");
  });

  it("ends when the watch closes, and when the reader leaves", async (t) => {
    const volume = newVolume(t);
    volume.write({ a: "1" });
    const { watch } = await open<Texts>(t, volume.directory);
    const seen: string[] = [];
    for await (const { kind } of watch) {
      seen.push(kind);
      break;
    }
    const reader = watch[Symbol.asyncIterator]();
    await reader.next();
    const pending = reader.next();
    await reader.return?.();
    assert.equal((await pending).done, true);
    const loop = (async () => {
      for await (const { kind } of watch) seen.push(kind);
    })();
    await watch.close();
    await loop;
    assert.deepEqual(seen, ["initial", "initial"]);
    assert.equal((await watch[Symbol.asyncIterator]().next()).done, true);
    assert.equal(watch.current["a"], "1");
  });

  for (const outcome of ["succeeds", "fails"]) {
    it(`drops a load that ${outcome} after the watch was closed`, async (t) => {
      const volume = newVolume(t);
      volume.write({ a: "1" });
      let isLoading = false;
      const { watch, errors } = await open<Texts>(t, volume.directory, {
        apply: async ({ kind }) => {
          if (kind === "initial") return;
          isLoading = true;
          await passMs(20);
          if (outcome === "fails") throw new Error("too late");
        },
      });
      volume.write({ a: "2" });
      await eventually("it loads", () => isLoading);
      await watch.close();
      assert.equal(watch.current["a"], "1");
      assert.deepEqual(errors, []);
    });
  }
});
