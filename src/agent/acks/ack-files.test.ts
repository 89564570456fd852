import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { systemClock } from "../../base/clock.ts";
import type { CaptureLogger } from "../../base/testing/capture-logger.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import { runtimeContainer } from "../pods/testing/runtime-container.ts";
import { MOUNTS_NOTE, type VolumeUse } from "../sub-path/volume-use.ts";
import type { Acknowledgement } from "../views/view-sources.ts";
import { type PluginBench, pluginBench, podWith } from "../volumes/plugins/testing/plugin-bench.ts";
import type { VolumeChangeHandler } from "../volumes/volumes.ts";
import { AckFiles } from "./ack-files.ts";
import { ContainerProcesses } from "./container-processes.ts";
import { volumeUse } from "./testing/volume-use.ts";

const volume = { name: "config", configMap: { name: "app", defaultMode: 0o644 } };
const podUid = "pod-1";

/** A container that is a shell of this machine's with a child, and a real volume. */
class Scene implements AsyncDisposable {
  readonly bench: PluginBench = pluginBench();
  readonly directory: string;
  readonly shell: ChildProcess;
  readonly removed: string[] = [];
  readonly swept: (readonly string[])[] = [];
  readonly changes: string[] = [];
  /** How often processes were looked for. */
  searches = 0;
  acks: AckFiles;
  status: ContainerStatus | undefined;
  readonly #exits = new Set<(status: ContainerStatus) => void>();
  readonly #volumes = new Set<VolumeChangeHandler>();
  #stop = new AbortController();
  #running: Promise<void>;

  constructor() {
    this.directory = `${this.bench.root}/ack`;
    mkdirSync(this.directory);
    this.shell = spawn("sh", ["-c", "sleep 1000 & echo $!; wait; read x"], {
      stdio: ["pipe", "pipe", "ignore"],
      // With a group of its own, so that all of it can be ended.
      detached: true,
    });
    this.acks = this.#make();
    this.#running = this.acks.run(this.#stop.signal);
  }

  #make(): AckFiles {
    const { paths, logger } = this.bench.parts;
    const processes = new ContainerProcesses(systemClock);
    const acks = new AckFiles({
      ...{ paths, clock: systemClock, logger },
      processes: {
        find: (...of) => {
          this.searches++;
          return processes.find(...of);
        },
      },
      directories: {
        remove: (path) => void this.removed.push(path),
        sweep: (inUse) => void this.swept.push([...inUse]),
      },
      runtime: {
        ready: Promise.resolve(),
        list: () => (this.status === undefined ? [] : [this.status]),
        onExit: (handler) => {
          this.#exits.add(handler);
          return { [Symbol.dispose]: () => void this.#exits.delete(handler) };
        },
      },
      volumes: {
        onChange: (handler) => {
          this.#volumes.add(handler);
          return { [Symbol.dispose]: () => void this.#volumes.delete(handler) };
        },
      },
    });
    acks.onChange((uid) => void this.changes.push(uid));
    return acks;
  }

  /** As another life of the agent. */
  async restart(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#stop = new AbortController();
    this.acks = this.#make();
    this.#running = this.acks.run(this.#stop.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    const ended = once(this.shell, "exit");
    process.kill(-(this.shell.pid ?? 0), "SIGKILL");
    await ended;
    this.bench[Symbol.dispose]();
  }

  start(...uses: readonly VolumeUse[]): void {
    const { pid } = this.shell;
    const annotations = {
      [MOUNTS_NOTE]: JSON.stringify(uses.length === 0 ? [volumeUse({})] : uses),
      "driftless.dev/ack-directory": this.directory,
    };
    this.status = { ...runtimeContainer("main", {}), podUid, pid, annotations, end: undefined };
    this.acks.started(this.status);
  }

  exit(): void {
    const end = { finishedAtMs: 0, exitCode: 0, signal: undefined, isUnknown: false };
    this.status = this.status && { ...this.status, end: { ...end, isOutOfMemory: false } };
    if (this.status) for (const handler of this.#exits) handler(this.status);
  }

  async show(data: Readonly<Record<string, string>>): Promise<string> {
    this.bench.objects.configMap("app", data);
    const content = await this.bench.setUp(volume);
    for (const handler of this.#volumes) {
      handler({ pod: podWith(), volume: "config", content, failure: undefined });
    }
    return content.version ?? "";
  }

  /** As the library does. */
  say(name: string, fields: object): void {
    const pid = this.shell.pid ?? 0;
    const all = { path: "/etc/config", pid, noticed: null, applied: null, rejected: null };
    writeFileSync(`${this.directory}/.tmp`, JSON.stringify({ ...all, ...fields }));
    renameSync(`${this.directory}/.tmp`, `${this.directory}/${name}`);
  }

  get heard(): readonly Acknowledgement[] {
    return this.acks.of(podUid);
  }

  async until(what: string, isSo: () => boolean): Promise<void> {
    for (let i = 0; !isSo(); i++) {
      if (i > 6000) throw new Error(`waited in vain for ${what}: ${JSON.stringify(this.heard)}`);
      await systemClock.sleep(5);
    }
  }
}

const version = "b".repeat(64);
const applied = { version, at: "2020-11-15T20:00:00.000Z" };

describe("AckFiles", { skip: process.platform === "linux" ? false : "Linux only" }, () => {
  it("hears at once what a process of the container says, until it takes that back", async () => {
    await using scene = new Scene();
    scene.start();
    assert.equal(scene.heard.length, 0);
    scene.say("a.json", { applied, noticed: applied });
    await scene.until("its word", () => scene.heard.length === 1);
    const atMs = Date.parse(applied.at);
    assert.deepEqual(scene.heard[0], {
      ...{ container: "main", pid: scene.shell.pid, path: "/etc/config" },
      noticed: { version, atMs },
      applied: { version, atMs },
      rejected: undefined,
    });
    assert.ok(scene.changes.includes(podUid));
    for (let i = 0; i < 50; i++)
      scene.say("a.json", { applied: { ...applied, version: `${i}`.padStart(64, "0") } });
    await scene.until(
      "the last word",
      () => scene.heard[0]?.applied?.version === "49".padStart(64, "0"),
    );
    rmSync(`${scene.directory}/a.json`);
    await scene.until("silence", () => scene.heard.length === 0);
  });

  it("finds what was said before it was there, and sweeps all other directories", async () => {
    await using scene = new Scene();
    scene.start();
    scene.say("a.json", { applied });
    await scene.until("its word", () => scene.heard.length === 1);
    await scene.restart();
    await scene.until("its word again", () => scene.heard.length === 1);
    assert.deepEqual(scene.swept.at(-1), [scene.directory]);
  });

  it("believes no process that is not alive, nor one that was killed since, and a new one that has its file", async () => {
    await using scene = new Scene();
    const [line] = (await once(scene.shell.stdout ?? scene.shell, "data")) as [Buffer];
    const child = Number(line.toString());
    scene.say("dead.json", { pid: 4_000_000, applied });
    scene.start();
    scene.say("child.json", { pid: child, applied });
    await scene.until("the child's word", () => scene.heard.length === 1);
    assert.equal(scene.heard[0]?.pid, child);
    const told = scene.changes.length;
    process.kill(child, "SIGKILL");
    await scene.until("silence", () => scene.heard.length === 0);
    await scene.until("that it is told", () => scene.changes.length > told);
    scene.say("child.json", { applied });
    await scene.until("the word of the other", () => scene.heard.length === 1);
  });

  it("forgets a container that has ended, with its directory", async () => {
    await using scene = new Scene();
    scene.start();
    scene.say("a.json", { applied });
    await scene.until("its word", () => scene.heard.length === 1);
    scene.exit();
    assert.deepEqual(scene.heard, []);
    assert.deepEqual(scene.removed, [scene.directory]);
    scene.say("b.json", { applied });
    assert.deepEqual(scene.heard, []);
  });

  it("puts the version of a single file back into the volume's, and knows when it has not changed", async () => {
    await using scene = new Scene();
    const { versionOf } = await import("../../base/content-version.ts");
    const ofFile = (text: string): string =>
      versionOf([{ path: "app.json", data: Buffer.from(text) }]);
    const first = await scene.show({ "app.json": "1", other: "1" });
    scene.start();
    scene.say("a.json", {
      path: "/etc/config/app.json",
      applied: { ...applied, version: ofFile("1") },
    });
    await scene.until("the volume's version", () => scene.heard[0]?.applied?.version === first);
    const second = await scene.show({ "app.json": "1", other: "2" });
    assert.equal(scene.heard[0]?.applied?.version, second);
    const third = await scene.show({ "app.json": "2", other: "2" });
    assert.equal(scene.heard[0]?.applied?.version, second, "it has not said that it has the third");
    scene.say("a.json", {
      path: "/etc/config/app.json",
      applied: { ...applied, version: ofFile("2") },
    });
    await scene.until("the third", () => scene.heard[0]?.applied?.version === third);
  });

  it("puts the version of what a subPath shows back into the volume's", async () => {
    await using scene = new Scene();
    const { versionOf } = await import("../../base/content-version.ts");
    const whole = await scene.show({ a: "1", b: "1" });
    const use = volumeUse({ mountPath: "/etc/app.conf", subPath: "a", isLive: true });
    scene.start(use);
    const part = versionOf([{ path: "app.conf", data: Buffer.from("1") }]);
    scene.say("a.json", { path: "/etc/app.conf", applied: { ...applied, version: part } });
    await scene.until("the volume's version", () => scene.heard[0]?.applied?.version === whole);
  });

  it("does not repeat why a Secret was refused", async () => {
    await using scene = new Scene();
    scene.start(volumeUse({ plugin: "kubernetes.io/secret" }));
    const rejected = { ...applied, stage: "schema", reason: "hunter2 is no number" };
    scene.say("a.json", { rejected });
    await scene.until("its word", () => scene.heard.length === 1);
    assert.match(scene.heard[0]?.rejected?.reason ?? "", /at the stage "schema"/);
    assert.doesNotMatch(JSON.stringify(scene.heard), /hunter2/);
    assert.doesNotMatch(JSON.stringify((scene.bench.logger as CaptureLogger).records), /hunter2/);
  });

  it("does not look through the machine again and again for a container that names processes that are not there", async () => {
    await using scene = new Scene();
    scene.start();
    const beganMs = systemClock.monotonicMs();
    for (let i = 0; i < 20; i++) {
      const told = scene.changes.length;
      scene.say("a.json", { pid: 4_000_000 + i, applied });
      await scene.until("that it was heard", () => scene.changes.length > told);
    }
    const most = (systemClock.monotonicMs() - beganMs) / 1000 + 1;
    assert.ok(scene.searches <= most, `${scene.searches} > ${most}`);
    scene.say("a.json", { applied });
    await scene.until("an honest word", () => scene.heard.length === 1);
  });

  it("hears a new process at once although another has left its file behind", async () => {
    await using scene = new Scene();
    scene.say("dead.json", { pid: 4_000_000, applied });
    scene.start();
    await scene.until("the search for it to be over", () => scene.searches === 2);
    scene.searches = 0;
    scene.say("a.json", { applied });
    await scene.until("its word", () => scene.heard.length === 1);
    assert.equal(scene.searches, 1);
  });

  it("is not kept busy by a container that does nothing but write", async () => {
    await using scene = new Scene();
    scene.start();
    const storm = spawn("sh", ["-c", "while :; do : > x.json; mv x.json y.json; done"], {
      cwd: scene.directory,
      stdio: "ignore",
    });
    try {
      await scene.until("the storm", () => scene.changes.length > 0);
      const beganMs = systemClock.monotonicMs();
      scene.changes.length = 0;
      await scene.until("some more of it", () => scene.changes.length > 5);
      const mostLooks = (systemClock.monotonicMs() - beganMs) / 10 + 1;
      assert.ok(scene.changes.length <= mostLooks, `${scene.changes.length} > ${mostLooks}`);
      scene.say("a.json", { applied });
      await scene.until("an honest word", () => scene.heard.length === 1);
    } finally {
      storm.kill("SIGKILL");
      await once(storm, "exit");
    }
  });
});
