import { deepEqual, equal, match } from "node:assert/strict";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { systemClock } from "../../base/clock.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { tempDir } from "../../base/testing/temp-dir.ts";
import type { SourceState } from "../source.ts";
import { PathSource, type PathSourceOptions } from "./path-source.ts";

/** One swap, as the kubelet does it. */
function swap(volume: string, version: string, files: Readonly<Record<string, string>>): void {
  const directory = `..${version}`;
  mkdirSync(join(volume, directory), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(volume, directory, name), text);
  }
  symlinkSync(directory, join(volume, "..data_tmp"));
  renameSync(join(volume, "..data_tmp"), join(volume, "..data"));
  for (const name of Object.keys(files)) {
    rmSync(join(volume, name), { force: true });
    symlinkSync(`..data/${name}`, join(volume, name));
  }
}

/** A source that runs until it is disposed. */
function running(path: string, more: Partial<PathSourceOptions> = {}) {
  const options = {
    name: "app",
    type: "directory",
    path,
    optional: false,
    isSecret: undefined,
    pollMs: undefined,
  } as const;
  const source = new PathSource({
    ...options,
    clock: systemClock,
    logger: new CaptureLogger(),
    ...more,
  });
  const stop = new AbortController();
  const ended = source.run(stop.signal);
  return {
    source,
    /** Settles when it is so; a test that waits for ever is ended by the runner. */
    until(isSo: (state: SourceState) => boolean): Promise<SourceState> {
      return new Promise((resolve) => {
        const look = (): void => {
          if (isSo(source.current())) resolve(source.current());
        };
        source.onChange(look);
        look();
      });
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

function textsOf(state: SourceState): Record<string, string> {
  const files = state.state === "known" ? [...state.content.files] : [];
  return Object.fromEntries(files.map(([name, { data }]) => [name, Buffer.from(data).toString()]));
}

function has(name: string, text: string): (state: SourceState) => boolean {
  return (state) => textsOf(state)[name] === text;
}

describe("PathSource", { timeout: 20_000 }, () => {
  it("follows a volume through many swaps, always one version", async () => {
    using dir = tempDir();
    swap(dir.path, "v0", { a: "0", b: "0" });
    await using app = running(dir.path);
    const mixed: unknown[] = [];
    app.source.onChange(() => {
      const { a, b } = textsOf(app.source.current());
      if (a !== b) mixed.push([a, b]);
    });
    for (let version = 1; version <= 5; version++) {
      swap(dir.path, `v${version}`, { a: `${version}`, b: `${version}` });
      rmSync(dir.join(`..v${version - 1}`), { recursive: true });
      await app.until(has("a", `${version}`));
    }
    deepEqual(mixed, []);
  });

  it("keeps what it had when the volume is removed, and finds it when it comes back", async () => {
    using dir = tempDir();
    const path = dir.join("volume");
    swap(path, "v1", { a: "1" });
    await using app = running(path);
    await app.until(has("a", "1"));
    rmSync(path, { recursive: true });
    const away = await app.until(({ problem }) => problem !== undefined);
    deepEqual(textsOf(away), { a: "1" });
    swap(path, "v1", { a: "2" });
    const back = await app.until(has("a", "2"));
    equal(back.problem, undefined);
  });

  it("waits for a directory that is not there yet, and says so", async () => {
    using dir = tempDir();
    await using app = running(dir.join("x", "y"));
    const waiting = await app.until(({ problem }) => problem !== undefined);
    equal(waiting.state, "waiting");
    match(waiting.problem ?? "", /there is no directory/);
    dir.write({ "x/y/a": "1" });
    await app.until(has("a", "1"));
  });

  it("takes an optional directory that is not there for an empty one", async () => {
    using dir = tempDir();
    await using app = running(dir.join("x"), { optional: true });
    const state = await app.until(({ state: one }) => one === "known");
    deepEqual([textsOf(state), state.problem], [{}, undefined]);
    dir.write({ "x/a": "1" });
    await app.until(has("a", "1"));
  });

  it("reads plain directories when they have settled, nested ones too, without what editors leave", async () => {
    using dir = tempDir();
    dir.write({ a: "1", "a~": "x", ".a.swp": "x", "d/b": "2" });
    await using app = running(dir.path);
    deepEqual(textsOf(await app.until(({ state }) => state === "known")), { a: "1", "d/b": "2" });
    let news = 0;
    app.source.onChange(() => {
      news++;
    });
    for (let i = 0; i < 5; i++) dir.write({ a: `${i}`, "d/b": `${i}`, "e/f/c": `${i}` });
    await app.until(has("e/f/c", "4"));
    deepEqual(textsOf(app.source.current()), { a: "4", "d/b": "4", "e/f/c": "4" });
    equal(news <= 2, true);
  });

  it("follows one file: a key of a volume, and a plain one that is replaced by a rename", async () => {
    using dir = tempDir();
    swap(dir.join("v"), "v1", { a: "1", b: "x" });
    dir.write({ "p/c": "1" });
    await using key = running(dir.join("v", "a"), { type: "file" });
    await using plain = running(dir.join("p", "c"), { type: "file" });
    deepEqual(textsOf(await key.until(({ state }) => state === "known")), { a: "1" });
    await plain.until(has("c", "1"));
    swap(dir.join("v"), "v2", { a: "2" });
    dir.write({ "p/c.new": "2" });
    renameSync(dir.join("p", "c.new"), dir.join("p", "c"));
    await key.until(has("a", "2"));
    await plain.until(has("c", "2"));
  });

  it("takes what only its owner may read for a secret", async () => {
    using dir = tempDir();
    dir.write({ a: "1", b: "2" });
    chmodSync(dir.join("b"), 0o600);
    chmodSync(dir.join("a"), 0o644);
    await using app = running(dir.path);
    const state = await app.until(({ state: one }) => one === "known");
    const secrets =
      state.state === "known"
        ? [...state.content.files].map(([name, file]) => [name, file.isSecret])
        : [];
    deepEqual(secrets, [
      ["a", false],
      ["b", true],
    ]);
  });

  it("takes the same content for a secret once only its owner may read it", async () => {
    using dir = tempDir();
    dir.write({ a: "1" });
    chmodSync(dir.join("a"), 0o644);
    await using app = running(dir.path);
    const isSecret = (state: SourceState): boolean | undefined =>
      state.state === "known" ? state.content.files.get("a")?.isSecret : undefined;
    await app.until((state) => isSecret(state) === false);
    chmodSync(dir.join("a"), 0o600);
    await app.until((state) => isSecret(state) === true);
  });

  it("does not count what the sidecar itself writes below it", async () => {
    using dir = tempDir();
    dir.write({ a: "1", "out/a": "1", "out2/a": "1" });
    await using app = running(dir.path, { excludes: new Set([dir.join("out")]) });
    const state = await app.until(({ state: one }) => one === "known");
    deepEqual(textsOf(state), { a: "1", "out2/a": "1" });
    dir.write({ "out/b": "2" });
    dir.write({ c: "3" });
    deepEqual(textsOf(await app.until(has("c", "3"))), { a: "1", c: "3", "out2/a": "1" });
  });

  it("refuses a file where a directory is meant", async () => {
    using dir = tempDir();
    dir.write({ a: "1" });
    await using app = running(dir.join("a"));
    match((await app.until(({ problem }) => problem !== undefined)).problem ?? "", /it is a file/);
  });
});
