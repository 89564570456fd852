// The path leads elsewhere than before: links turned, directories rebuilt.

import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { type FileListener, systemEnvironment } from "../src/environment.js";
import { readPlain } from "../src/plain.js";
import { eventually, open, passMs, temporaryDirectory } from "./situation.ts";
import { VolumeWriter } from "./volume-writer.ts";

type Texts = Readonly<Record<string, string>>;

function twoVolumes(t: TestContext) {
  const directory = temporaryDirectory(t);
  const [a, b] = [new VolumeWriter(join(directory, "A")), new VolumeWriter(join(directory, "B"))];
  a.write({ app: "A1" });
  b.write({ app: "B1" });
  mkdirSync(join(directory, "etc"));
  const path = join(directory, "etc", "app");
  symlinkSync("../A/app", path);
  const turn = () => {
    symlinkSync("../B/app", `${path}.new`);
    renameSync(`${path}.new`, path);
  };
  return { directory, path, a, b, turn };
}

describe("a link before the volume", () => {
  it("is followed when it is turned to another volume", async (t) => {
    const { path, a, b, turn } = twoVolumes(t);
    const { watch, errors } = await open<string>(t, path);
    turn();
    await eventually("B1 is current", () => watch.current === "B1");
    a.write({ app: "A2" });
    b.write({ app: "B2" });
    await eventually("B2 is current", () => watch.current === "B2");
    await passMs(20);
    assert.equal(watch.current, "B2");
    assert.deepEqual(errors, []);
  });

  it("is followed by reload() although no event told, and watched from then on", async (t) => {
    const { path, b, turn } = twoVolumes(t);
    let isDeaf = true;
    const { watch } = await open<string>(t, path, {
      environment: {
        watch: (place, listener) => (isDeaf ? () => {} : systemEnvironment.watch(place, listener)),
      },
    });
    turn();
    isDeaf = false;
    await watch.reload();
    assert.equal(watch.current, "B1");
    b.write({ app: "B2" });
    await eventually("B2 is current", () => watch.current === "B2");
  });

  it("that was turned unseen is found when the place known before fails", async (t) => {
    const { directory, path, a, turn } = twoVolumes(t);
    const { watch, errors } = await open<string>(t, path, {
      environment: {
        watch: (place, listener) =>
          place === join(directory, "etc") ? () => {} : systemEnvironment.watch(place, listener),
      },
    });
    turn();
    // Only the volume that the path has left tells of something, and no longer has the key.
    a.write({ other: "A2" });
    await eventually("B1 is current", () => watch.current === "B1");
    assert.deepEqual(errors, []);
  });

  it("may be replaced by a file, and the key beside ..data too", async (t) => {
    const { directory, path } = twoVolumes(t);
    const outside = await open<string>(t, path);
    const inside = await open<string>(t, join(directory, "B", "app"));
    for (const target of [path, join(directory, "B", "app")]) {
      writeFileSync(join(directory, "file"), "plain");
      renameSync(join(directory, "file"), target);
    }
    await eventually("the first is current", () => outside.watch.current === "plain");
    await eventually("the second is current", () => inside.watch.current === "plain");
  });
});

describe("a directory that is removed and built again at once", () => {
  it("is followed each time, also when its inode number is the same", async (t) => {
    const path = join(temporaryDirectory(t), "config");
    mkdirSync(path);
    const { watch } = await open<Texts>(t, path, { debounce: { minMs: 5, maxMs: 50 } });
    for (let n = 1; n <= 20; n += 1) {
      rmSync(path, { recursive: true });
      mkdirSync(path);
      writeFileSync(join(path, "key"), `built ${n}`);
      await eventually(`${n} is built`, () => watch.current["key"] === `built ${n}`);
      await passMs(10);
      writeFileSync(join(path, "key"), `changed ${n}`);
      await eventually(`${n} is changed`, () => watch.current["key"] === `changed ${n}`);
    }
  });

  it("is followed each time when it is a volume", async (t) => {
    const volume = new VolumeWriter(join(temporaryDirectory(t), "config"));
    volume.write({ key: "0" });
    const { watch } = await open<Texts>(t, volume.directory);
    for (let n = 1; n <= 20; n += 1) {
      rmSync(volume.directory, { recursive: true });
      volume.write({ key: `built ${n}` });
      await eventually(`${n} is built`, () => watch.current["key"] === `built ${n}`);
      if (n % 2 === 0) await passMs(n);
      volume.write({ key: `changed ${n}` });
      await eventually(`${n} is changed`, () => watch.current["key"] === `changed ${n}`);
    }
  });

  it("gets a new watcher after an event about itself, whatever its inode number", async (t) => {
    const path = temporaryDirectory(t);
    const listeners: FileListener[] = [];
    const { watch } = await open<Texts>(t, path, {
      debounce: { minMs: 0, maxMs: 0 },
      environment: {
        watch: (_, listener) => {
          listeners.push(listener);
          return () => {};
        },
      },
    });
    const before = listeners.length;
    listeners[0]?.event("key");
    assert.equal(listeners.length, before);
    listeners[0]?.event(basename(path));
    assert.equal(listeners.length, before + 1);
    await watch.reload();
  });
});

describe("a plain directory", () => {
  for (const [what, disturb] of Object.entries({
    "was written": (path: string) => writeFileSync(join(path, "a"), "longer"),
    "was added": (path: string) => writeFileSync(join(path, "c"), ""),
    "was removed": (path: string) => rmSync(join(path, "b"), { force: true }),
  })) {
    it(`is read again when a file ${what} meanwhile`, (t) => {
      const path = temporaryDirectory(t);
      for (const name of ["a", "b"]) writeFileSync(join(path, name), name);
      const read = readPlain(path, (file) => {
        disturb(path);
        return Buffer.from(file);
      });
      assert.equal(read, "moved");
      assert.notEqual(readPlain(path), "moved");
    });
  }

  it("is read without what editors leave there", async (t) => {
    const path = temporaryDirectory(t);
    const { watch } = await open<Texts>(t, path);
    const leftovers = [".app.swp", ".app.swo", ".app.swx", "app~", "4913", ".#app"];
    for (const name of leftovers) writeFileSync(join(path, name), Buffer.from([0xff]));
    for (const name of ["app", "app.swp", ".app", "14913", "a~b"])
      writeFileSync(join(path, name), "");
    await eventually("the file is there", () => watch.snapshot.keys.includes("app"));
    await watch.reload();
    assert.deepEqual(watch.snapshot.keys, [".app", "14913", "app", "app.swp", "a~b"]);
  });
});
