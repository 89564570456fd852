// What should not happen, and does: it ends in a report, never in an uncaught exception or a hang.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type FileListener, systemEnvironment } from "../src/environment.js";
import type { Snapshot, StandardSchema, Watch } from "../src/index.js";
import { LoadQueue } from "../src/load-queue.js";
import { survey } from "../src/survey.js";
import { eventually, open, passMs, temporaryDirectory } from "./situation.ts";
import { VolumeWriter } from "./volume-writer.ts";

type Texts = Readonly<Record<string, string>>;

describe("an unexpected error", () => {
  it("of the link in a file event means the long way, not an uncaught exception", async (t) => {
    const directory = temporaryDirectory(t);
    const volume = new VolumeWriter(join(directory, "v"));
    volume.write({ key: "1" });
    symlinkSync("v", join(directory, "link"));
    const { watch, errors } = await open<Texts>(t, join(directory, "link"));
    volume.write({ key: "2" });
    unlinkSync(join(directory, "link"));
    symlinkSync("link", join(directory, "link"));
    await eventually("the loss is reported", () => errors.length === 1);
    assert.match(errors[0]?.message ?? "", /^Cannot read ".*link": ELOOP: [^,]*$/);
    unlinkSync(join(directory, "link"));
    symlinkSync("v", join(directory, "link"));
    await eventually("2 is current", () => watch.current["key"] === "2");
  });

  it("in a file event, a timer or a signal is reported with the stage watch", async (t) => {
    const directory = temporaryDirectory(t);
    const listeners: FileListener[] = [];
    const timers: (() => void)[] = [];
    const signals: (() => void)[] = [];
    let isBroken = false;
    const { watch, errors } = await open<Texts>(t, directory, {
      pollMs: 1000,
      environment: {
        watch: (_, listener) => {
          listeners.push(listener);
          return () => {
            if (isBroken) throw new Error("broken");
          };
        },
        after: (_, run) => {
          timers.push(run);
          return () => {};
        },
        now: () => {
          if (isBroken) throw new Error("broken");
          return systemEnvironment.now();
        },
        onSignal: (_, run) => {
          signals.push(run);
          return () => {};
        },
      },
    });
    watch.reloadOn("SIGHUP");
    mkdirSync(join(directory, "sub"));
    await watch.reload();
    rmSync(join(directory, "sub"), { recursive: true });
    isBroken = true;
    const broken = 'Cannot watch ".*": broken';
    for (const run of [
      () => listeners[0]?.event("key"),
      () => timers[0]?.(),
      () => signals[0]?.(),
    ]) {
      errors.length = 0;
      run();
      await eventually("it is reported", () => errors.length > 0);
      assert.equal(errors[0]?.stage, "watch");
      assert.match(errors[0]?.message ?? "", new RegExp(`^${broken}$`));
    }
    isBroken = false;
  });
});

describe("a validator that breaks the specification", () => {
  const results: Readonly<Record<string, () => unknown>> = {
    "returns nothing": () => undefined,
    "returns an empty object": () => ({}),
    "has null for a path": () => ({ issues: [{ message: "m", path: null }] }),
    "has null in a path": () => ({ issues: [{ message: "m", path: [null] }] }),
    "has null for an issue": () => ({ issues: [null] }),
    "throws an object without prototype": () => {
      throw Object.create(null);
    },
  };
  for (const [what, validate] of Object.entries(results)) {
    it(`and ${what} refuses the version instead of hanging`, { timeout: 60_000 }, async (t) => {
      const standard = { version: 1, vendor: "test", validate };
      const schema = { "~standard": standard } as unknown as StandardSchema<number>;
      await assert.rejects(open(t, temporaryDirectory(t), { schema }), {
        name: "ConfigError",
        stage: "schema",
      });
    });
  }
});

describe("LoadQueue", () => {
  it("goes on after a load that rejected, and tells of it", async () => {
    const failures: unknown[] = [];
    let loads = 0;
    const queue = new LoadQueue({
      load: () => {
        loads += 1;
        return loads === 1 ? Promise.reject(new Error("broken")) : Promise.resolve();
      },
      onFailure: (cause) => void failures.push(cause),
    });
    await queue.after(() => queue.ask("update"));
    await queue.after(() => queue.ask("update"));
    assert.equal(loads, 2);
    assert.equal(failures.length, 1);
  });

  it("does not let an update take the place of a reload that is wanted", async () => {
    const kinds: string[] = [];
    const queue = new LoadQueue({
      load: async (kind) => {
        kinds.push(kind);
        await passMs(1);
      },
      onFailure: () => assert.fail(),
    });
    queue.ask("update");
    await queue.after(() => {
      queue.ask("reload");
      queue.ask("update");
    });
    assert.deepEqual(kinds, ["update", "reload"]);
  });
});

describe("a path that cannot be looked at", () => {
  /** A socket: neither a file nor a directory. Returns its removal. */
  async function putSocket(path: string): Promise<() => void> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    return () => void server.close();
  }

  it("is watched at itself and in its parent", async (t) => {
    const directory = temporaryDirectory(t);
    const path = join(directory, "app.json");
    t.after(await putSocket(path));
    assert.deepEqual(
      survey(path).places.map((place) => place.path),
      [directory, path],
    );
  });

  it("comes back by events alone", async (t) => {
    const path = join(temporaryDirectory(t), "app.json");
    writeFileSync(path, "1");
    const { watch, errors } = await open<number>(t, path);
    unlinkSync(path);
    const removeSocket = await putSocket(path);
    await eventually("the loss is reported", () => errors.length === 1);
    assert.match(errors[0]?.message ?? "", /it is neither a regular file nor a directory/);
    removeSocket();
    writeFileSync(path, "2");
    await eventually("2 is current", () => watch.current === 2);
  });
});

describe("closing", () => {
  it("by a signal ends an opening whose apply hangs", { timeout: 60_000 }, async (t) => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const opening = open(t, temporaryDirectory(t), {
      signal: controller.signal,
      apply: () => new Promise(() => {}),
    });
    await passMs(5);
    controller.abort(reason);
    await assert.rejects(opening, reason);
  });

  it("by a signal that parse itself aborts rejects the opening", { timeout: 60_000 }, async (t) => {
    const controller = new AbortController();
    const opening = open(t, temporaryDirectory(t), {
      signal: controller.signal,
      parse: () => controller.abort(),
    });
    await assert.rejects(opening, { name: "AbortError" });
  });

  it("from inside apply does not wait for that apply", { timeout: 60_000 }, async (t) => {
    const volume = new VolumeWriter(join(temporaryDirectory(t), "config"));
    volume.write({ key: "1" });
    let isDone = false;
    const { watch }: { watch: Watch<Texts> } = await open<Texts>(t, volume.directory, {
      apply: async ({ kind }) => {
        if (kind === "initial") return;
        await passMs(1);
        await watch.close();
        isDone = true;
      },
    });
    volume.write({ key: "2" });
    await eventually("apply has closed the watch", () => isDone);
    await watch.close();
    assert.equal(watch.current["key"], "1");
  });

  it("from outside waits for a load under way", async (t) => {
    const volume = new VolumeWriter(join(temporaryDirectory(t), "config"));
    volume.write({ key: "1" });
    let state = "idle";
    const { watch } = await open<Texts>(t, volume.directory, {
      apply: async ({ kind }) => {
        if (kind === "initial") return;
        state = "applying";
        await passMs(20);
        state = "done";
      },
    });
    volume.write({ key: "2" });
    await eventually("it applies", () => state === "applying");
    await watch.close();
    assert.equal(state, "done");
  });

  it("takes the listener off a signal that many watches share", async (t) => {
    const { signal } = new AbortController();
    const directory = temporaryDirectory(t);
    const opened = await Promise.all(
      Array.from({ length: 20 }, () => open(t, directory, { signal })),
    );
    assert.equal(getEventListeners(signal, "abort").length, 1);
    const [first, ...others] = opened.map(({ watch }) => watch);
    await Promise.all(others.map((watch) => watch.close()));
    assert.equal(getEventListeners(signal, "abort").length, 1);
    await first?.close();
    assert.equal(getEventListeners(signal, "abort").length, 0);
  });

  it("happens to all watches of a signal", async (t) => {
    const controller = new AbortController();
    const { signal } = controller;
    const directory = temporaryDirectory(t);
    const opened = await Promise.all(
      Array.from({ length: 3 }, () => open(t, directory, { signal })),
    );
    controller.abort();
    for (const { watch } of opened) {
      assert.equal((await watch[Symbol.asyncIterator]().next()).done, true);
    }
  });
});

describe("a path that changes its shape", () => {
  const parse = (taken: Snapshot) => taken.keys.join();

  it("from a file to a directory is refused, and returns as a file", async (t) => {
    const volume = new VolumeWriter(join(temporaryDirectory(t), "config"));
    volume.write({ app: "1" });
    const { watch, errors } = await open<string>(t, join(volume.directory, "app"));
    volume.write({ "app/x": "2" });
    await eventually("it is refused", () => errors.length === 1);
    assert.equal(errors[0]?.stage, "read");
    assert.match(errors[0]?.message ?? "", /it was a file at the start and is a directory now$/);
    assert.equal(watch.current, "1");
    volume.write({ app: "3" });
    await eventually("3 is current", () => watch.current === "3");
  });

  it("from a directory to a file is refused", async (t) => {
    const directory = temporaryDirectory(t);
    const path = join(directory, "app");
    mkdirSync(path);
    const { errors } = await open<string>(t, path, { parse });
    writeFileSync(join(directory, "file"), "");
    rmSync(path, { recursive: true });
    renameSync(join(directory, "file"), path);
    await eventually("it is refused", () =>
      errors.some(({ message }) =>
        message.endsWith("it was a directory at the start and is a file now"),
      ),
    );
  });
});
