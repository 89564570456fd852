import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { describe, it } from "node:test";
import type { Pod, Volume } from "../../api/types.ts";
import { systemClock } from "../../base/clock.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import type { NewEvent } from "../../controller/event-recorder.ts";
import { readVersionRecord } from "../../files/version-record.ts";
import {
  type PluginBench,
  pluginBench,
  podWith,
  shown,
} from "../volumes/plugins/testing/plugin-bench.ts";
import { followedByBoth } from "./followed-by-both.ts";
import { VolumeTampering } from "./volume-tampering.ts";

/** A real volume, written by its plugin and watched. */
class Scene implements AsyncDisposable {
  readonly bench: PluginBench;
  readonly events: NewEvent[] = [];
  readonly logger = new CaptureLogger();
  readonly changes: string[] = [];
  readonly volume: Volume = {
    name: "config",
    configMap: {
      name: "app",
      defaultMode: 0o644,
      items: [
        { key: "a", path: "a.conf" },
        { key: "b", path: "deep/b.conf" },
      ],
    },
  };
  pod: Pod = podWith();
  tampering: VolumeTampering;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];

  constructor() {
    this.bench = pluginBench({
      parts: {
        followers: followedByBoth(
          { shown: () => undefined },
          {
            shown: (...of) => this.tampering.shown(...of),
            isSuspect: (place) => this.tampering.isSuspect(place),
            removed: (place) => this.tampering.removed(place),
          },
        ),
      },
    });
    this.tampering = this.make();
  }

  make(): VolumeTampering {
    const { paths } = this.bench.parts;
    const tampering = new VolumeTampering({
      ...{ paths, clock: systemClock, logger: this.logger },
      events: { record: (event) => void this.events.push(event) },
    });
    tampering.onChange((uid) => void this.changes.push(uid));
    this.#running.push(tampering.run(this.#stop.signal));
    return tampering;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
    this.bench[Symbol.dispose]();
  }

  get root(): string {
    return `${this.bench.root}/pods/pod-1/volumes/kubernetes.io~configmap/config`;
  }

  get version(): string {
    return `${this.root}/${readlinkSync(`${this.root}/..data`)}`;
  }

  async show(data: Readonly<Record<string, string>>): Promise<void> {
    this.bench.objects.configMap("app", data);
    await this.sync();
  }

  async sync(): Promise<void> {
    await this.bench.setUp(this.volume, this.pod);
  }

  get files(): readonly string[] {
    return this.tampering.of("pod-1").flatMap(({ files }) => files);
  }

  async until(what: string, isSo: () => boolean): Promise<void> {
    for (let i = 0; !isSo(); i++) {
      if (i > 6000) throw new Error(`waited in vain for ${what}: ${this.files.join(", ")}`);
      await systemClock.sleep(5);
    }
  }

  /** Time for all events that there can be, and their looks. */
  async settle(): Promise<void> {
    await systemClock.sleep(300);
  }
}

const first = { a: "one", b: "one" };

describe("VolumeTampering", { skip: process.platform === "linux" ? false : "Linux only" }, () => {
  const deeds: readonly (readonly [string, (scene: Scene) => void, readonly string[]])[] = [
    [
      "a file that was written into, of the same length and with its old time",
      ({ version }) => {
        writeFileSync(`${version}/a.conf`, "two");
        utimesSync(`${version}/a.conf`, 0, 0);
      },
      ["a.conf"],
    ],
    [
      "a file deep in it",
      ({ version }) => writeFileSync(`${version}/deep/b.conf`, "two"),
      ["deep/b.conf"],
    ],
    ["a file more", ({ version }) => writeFileSync(`${version}/c.conf`, ""), ["c.conf"]],
    ["a file less", ({ version }) => unlinkSync(`${version}/a.conf`), ["a.conf"]],
    ["a file less deep in it", ({ version }) => unlinkSync(`${version}/deep/b.conf`), ["deep"]],
    [
      "a file that was replaced",
      ({ root, version }) => {
        writeFileSync(`${root}/..new`, "two");
        renameSync(`${root}/..new`, `${version}/a.conf`);
      },
      ["a.conf"],
    ],
    [
      "a link in place of a file",
      ({ version }) => {
        unlinkSync(`${version}/a.conf`);
        symlinkSync("/etc/hostname", `${version}/a.conf`);
      },
      ["a.conf"],
    ],
    [
      "a link that leads elsewhere",
      ({ root }) => {
        unlinkSync(`${root}/a.conf`);
        writeFileSync(`${root}/a.conf`, "two");
      },
      ["a.conf"],
    ],
    [
      "another version in its place",
      ({ root }) => {
        mkdirSync(`${root}/..mine`);
        symlinkSync("..mine", `${root}/..x`);
        renameSync(`${root}/..x`, `${root}/..data`);
      },
      ["..data"],
    ],
    ["a version that is gone", ({ version }) => rmSync(version, { recursive: true }), ["..data"]],
  ];
  for (const [what, deed, files] of deeds) {
    it(`notices ${what}, says so once, and the next sync heals it`, async () => {
      await using scene = new Scene();
      await scene.show(first);
      // In the same moment as the write nobody could say which file it was: the kernel's times are exact to some milliseconds.
      await systemClock.sleep(20);
      deed(scene);
      await scene.until("it", () => scene.files.length > 0);
      await scene.until("all of it", () => scene.files.join() === files.join());
      const told = scene.events.filter(({ reason }) => reason === "TamperedOnDisk");
      assert.equal(told[0]?.type, "Warning");
      assert.match(told.at(-1)?.message ?? "", new RegExp(`"config" was changed .*"${files[0]}"`));
      assert.doesNotMatch(JSON.stringify(scene.events), /two/);
      await scene.sync();
      assert.deepEqual(scene.files, []);
      assert.deepEqual(shown(scene.root), { "a.conf": "one", "deep/b.conf": "one" });
      assert.equal(scene.changes.at(-1), "pod-1");
    });
  }

  it("takes nothing that the agent does for somebody else's work", async () => {
    await using scene = new Scene();
    for (let i = 0; i < 20; i++) await scene.show({ a: `${i}`, b: "one" });
    // The versions that were replaced go after a second.
    await systemClock.sleep(1100);
    await scene.sync();
    await scene.settle();
    assert.deepEqual([scene.files, scene.events, scene.changes], [[], [], []]);
  });

  it("does not mind who reads, nor a change of mode; but the next sync mends that", async () => {
    await using scene = new Scene();
    await scene.show(first);
    readFileSync(`${scene.version}/a.conf`);
    chmodSync(`${scene.version}/a.conf`, 0o600);
    await scene.until("suspicion", () =>
      scene.tampering.isSuspect({
        ...{ podUid: "pod-1", plugin: "kubernetes.io/configmap", volume: "config" },
      }),
    );
    await scene.settle();
    assert.deepEqual(scene.files, []);
    await scene.sync();
    assert.deepEqual(shown(scene.root), { "a.conf": "one", "deep/b.conf": "one" });
  });

  it("is content again when whoever did it undoes it", async () => {
    await using scene = new Scene();
    await scene.show(first);
    writeFileSync(`${scene.version}/a.conf`, "two");
    await scene.until("it", () => scene.files.length > 0);
    writeFileSync(`${scene.version}/a.conf`, "one");
    await scene.until("the end of it", () => scene.files.length === 0);
  });

  it("finds what was changed while no agent was there", async () => {
    await using scene = new Scene();
    await scene.show(first);
    scene.tampering = new VolumeTampering({
      ...{ paths: scene.bench.parts.paths, clock: systemClock, logger: scene.logger },
      events: { record: () => undefined },
    });
    await systemClock.sleep(20);
    writeFileSync(`${scene.version}/a.conf`, "two");
    scene.tampering = scene.make();
    scene.bench.restart();
    await scene.sync();
    await scene.until("it", () => scene.files.join() === "a.conf");
    await scene.sync();
    assert.deepEqual(shown(scene.root), { "a.conf": "one", "deep/b.conf": "one" });
  });

  it("finds without any event at the next sync what was changed, and heals it with the one after", async () => {
    await using scene = new Scene();
    await scene.show(first);
    await scene.tampering.run(AbortSignal.abort()); // Deaf from now on.
    await systemClock.sleep(20);
    writeFileSync(`${scene.version}/a.conf`, "two");
    await scene.sync();
    await scene.until("it", () => scene.files.join() === "a.conf");
    await scene.sync();
    assert.deepEqual(shown(scene.root), { "a.conf": "one", "deep/b.conf": "one" });
  });

  it("remembers what was done to a version just before the next one, if parts of it may show it still", async () => {
    await using scene = new Scene();
    const part = { name: "config", mountPath: "/a", subPath: "a.conf" };
    for (const volumeMounts of [[part], []]) {
      scene.pod = podWith({ containers: [{ name: "main", resources: {}, volumeMounts }] });
      await scene.show(first);
      const version = readVersionRecord(scene.version)?.version;
      await systemClock.sleep(20);
      writeFileSync(`${scene.version}/a.conf`, "two");
      await scene.show({ a: "three", b: "one" });
      const [found, ...more] = scene.tampering.of("pod-1");
      assert.deepEqual([found?.version, found?.files, more], [version, ["a.conf"], []]);
      assert.equal(found?.isPast, true);
    }
    assert.equal(scene.events.length, 1);
    assert.deepEqual(scene.changes, ["pod-1"]);
  });

  it("forgets a volume that the agent takes away, and says nothing about that", async () => {
    await using scene = new Scene();
    await scene.show(first);
    await scene.bench.tearDown(scene.volume, podWith());
    await scene.settle();
    assert.deepEqual([scene.files, scene.events], [[], []]);
  });

  it("says it also when a sync has found and healed it before anybody looked", async () => {
    await using scene = new Scene();
    await scene.show(first);
    unlinkSync(`${scene.version}/a.conf`);
    await scene.sync();
    assert.deepEqual(shown(scene.root), { "a.conf": "one", "deep/b.conf": "one" });
    assert.deepEqual(scene.files, []);
    assert.match(scene.events[0]?.message ?? "", /"config" was changed .* has been written anew$/);
    await scene.sync();
    await scene.show({ a: "two", b: "one" });
    assert.equal(scene.events.length, 1);
  });
});
