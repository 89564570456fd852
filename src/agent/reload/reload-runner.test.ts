import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod } from "../../api/types.ts";
import { createMetrics } from "../../base/metrics.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import { tempDir } from "../../base/testing/temp-dir.ts";
import type { NewEvent } from "../../controller/event-recorder.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import { FakeExecSession } from "../../runtime/testing/fake-sessions.ts";
import { volumeUse } from "../acks/testing/volume-use.ts";
import { AgentPaths } from "../agent-paths.ts";
import { ConfigObject } from "../objects/config-object.ts";
import { runtimeContainer } from "../pods/testing/runtime-container.ts";
import { MOUNTS_NOTE } from "../sub-path/volume-use.ts";
import type { MountedVolume, VolumeChangeHandler } from "../volumes/volumes.ts";
import { reloadMetrics } from "./reload-metrics.ts";
import { ReloadRunner } from "./reload-runner.ts";

type Data = Readonly<Record<string, string>>;

/** A process that certainly runs and handles no SIGHUP of ours: nothing is ever sent to it. */
const pid = process.pid;

class Scene implements AsyncDisposable {
  readonly dir = tempDir();
  readonly clock = new FakeClock();
  readonly metrics = createMetrics();
  readonly events: NewEvent[] = [];
  readonly changes: string[] = [];
  /** What was done: "10000 signal 15", "exec main-0 reload". */
  readonly deeds: string[] = [];
  /** How commands end. */
  exitCode = 0;
  annotations: Data;
  readonly volumeNames: readonly string[];
  #data: Data = {};
  readonly #shown = new Map<string, MountedVolume>();
  #containers: ContainerStatus[] = [];
  readonly #exits = new Set<(status: ContainerStatus) => void>();
  readonly #volumes = new Set<VolumeChangeHandler>();
  #stop = new AbortController();
  runner: ReloadRunner;
  #running: Promise<void>;

  constructor(annotations: Data, volumeNames: readonly string[] = ["config"]) {
    this.annotations = annotations;
    this.volumeNames = volumeNames;
    this.runner = this.#make();
    this.#running = this.runner.run(this.#stop.signal);
  }

  #make(): ReloadRunner {
    const { clock } = this;
    const runner = new ReloadRunner({
      ...{ clock, logger: new CaptureLogger(), random: seededRandom(1) },
      paths: new AgentPaths(this.dir.path),
      runtime: {
        ready: Promise.resolve(),
        list: () => this.#containers,
        onExit: (handler) => {
          this.#exits.add(handler);
          return { [Symbol.dispose]: () => void this.#exits.delete(handler) };
        },
        exec: (id, spec) => {
          this.deeds.push(`exec ${id} ${spec.argv.at(-1)}`);
          const container = this.#containers.find((one) => one.id === id);
          assert.ok(container);
          const session = new FakeExecSession(container, spec);
          session.end({ exitCode: this.exitCode, stderr: "hunter2" });
          return Promise.resolve(session);
        },
      },
      volumes: {
        current: () => this.#shown,
        onChange: (handler) => {
          this.#volumes.add(handler);
          return { [Symbol.dispose]: () => void this.#volumes.delete(handler) };
        },
      },
      objects: { peek: () => this.#object },
      pod: () => this.pod,
      identify: () => ({ pid, startTicks: 1 }),
      signalProcess: (_, number) => {
        this.deeds.push(`${clock.monotonicMs()} signal ${number}`);
        return true;
      },
      events: { record: (event) => void this.events.push(event) },
      metrics: reloadMetrics(this.metricsOfLife()),
    });
    runner.onChange((uid) => void this.changes.push(uid));
    return runner;
  }

  /** A name can be used once. */
  metricsOfLife(): ReturnType<typeof createMetrics> {
    return this.#lives++ === 0 ? this.metrics : createMetrics();
  }
  #lives = 0;

  get pod(): Pod {
    return {
      metadata: { name: "web", namespace: "shop", uid: "u1", annotations: { ...this.annotations } },
      spec: {
        containers: ["main", "other"].map((name) => ({
          ...{ name, resources: {} },
          volumeMounts: this.volumeNames.map((volume) => ({
            ...{ name: volume, mountPath: `/etc/${volume}` },
          })),
        })),
        volumes: this.volumeNames.map((name) => ({ name, configMap: { name: "app" } })),
      },
      status: {},
    };
  }

  get #object(): ConfigObject {
    const metadata = { name: "app", namespace: "shop", uid: "o1" };
    return ConfigObject.fromConfigMap({ metadata, data: { ...this.#data } });
  }

  /** All volumes are swapped one after the other. */
  show(data: Data): void {
    this.#data = data;
    const { version, asVersion } = this.#object;
    for (const name of this.volumeNames) {
      const content = {
        ...{ path: "/x", isReadOnly: true, hasChanged: true, refreshAfterMs: undefined },
        ...{ version, versions: [asVersion] },
      };
      const mounted = { ...content, plugin: "kubernetes.io/configmap", failure: undefined };
      this.#shown.set(name, mounted);
      for (const handler of this.#volumes) {
        handler({ pod: this.pod, volume: name, content, failure: undefined });
      }
    }
  }

  start(name = "main", attempt = 0): void {
    const uses = this.volumeNames.map((volume) =>
      volumeUse({
        volume,
        container: name,
        mountPath: `/etc/${volume}`,
        version: this.#object.version,
      }),
    );
    const annotations = { [MOUNTS_NOTE]: JSON.stringify(uses) };
    const status = { ...runtimeContainer(name, { attempt }), pid, annotations };
    this.#containers.push(status);
    this.runner.started(status);
  }

  exit(name = "main"): void {
    const index = this.#containers.findIndex((one) => one.name === name && one.end === undefined);
    const ended = runtimeContainer(name, { exitCode: 0 });
    this.#containers[index] = { ...ended, id: this.#containers[index]?.id ?? "" };
    for (const handler of this.#exits) handler(this.#containers[index]);
  }

  /** As another life of the agent; the volumes are shown anew. */
  async restart(): Promise<void> {
    await this.stop();
    const data = this.#data;
    this.#shown.clear();
    this.#stop = new AbortController();
    this.runner = this.#make();
    this.#running = this.runner.run(this.#stop.signal);
    await this.clock.step(0);
    this.show(data);
    await this.clock.step(0);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    assert.equal(this.clock.waiting, 0);
    this.dir[Symbol.dispose]();
  }

  /** "main config Succeeded 1" */
  get reports(): readonly string[] {
    return this.runner
      .of("u1")
      .map(
        ({ container, volume, result, attempts }) => `${container} ${volume} ${result} ${attempts}`,
      );
  }
}

// The test's own process handles no SIGHUP; a signal that ends needs no handler.
const bySignal = { "driftless.dev/reload": "signal:TERM" };
const byExec = { "driftless.dev/reload": "exec:reload" };

describe("ReloadRunner", () => {
  it("tells a container once of each version, and not of the one that it was started with", async () => {
    await using scene = new Scene(bySignal);
    scene.show({ a: "1" });
    scene.start();
    await scene.clock.step(10_000);
    assert.deepEqual([scene.deeds, scene.reports], [[], []]);
    scene.show({ a: "2" });
    assert.deepEqual(scene.reports, ["main config Pending 0"]);
    await scene.clock.step(10_000);
    scene.show({ a: "2" });
    await scene.clock.step(100_000);
    assert.deepEqual(scene.deeds, ["10050 signal 15"]);
    assert.deepEqual(scene.reports, ["main config Succeeded 1"]);
    const [event] = scene.events;
    assert.deepEqual([event?.type, event?.reason], ["Normal", "ConfigReloaded"]);
    assert.match(event?.message ?? "", /"signal:TERM" for volume "config", version [0-9a-f]{10}$/);
    const text = await scene.metrics.text();
    assert.match(text, /driftless_reloads_total\{action="signal",result="success"\} 1/);
    assert.ok(scene.changes.includes("u1"));
  });

  it("tells nobody who did not ask for it", async () => {
    await using scene = new Scene({ "driftless.dev/reload": "auto" });
    scene.show({ a: "1" });
    scene.start();
    scene.show({ a: "2" });
    await scene.clock.step(100_000);
    assert.deepEqual([scene.deeds, scene.reports, scene.events], [[], [], []]);
  });

  it("tells of two volumes that changed together once", async () => {
    await using scene = new Scene(bySignal, ["config", "more"]);
    scene.show({ a: "1" });
    scene.start();
    scene.show({ a: "2" });
    await scene.clock.step(10_000);
    assert.equal(scene.deeds.length, 1);
    assert.deepEqual(scene.reports, ["main config Succeeded 1", "main more Succeeded 1"]);
  });

  it("tells each container for itself", async () => {
    await using scene = new Scene(byExec);
    scene.show({ a: "1" });
    scene.start("main");
    scene.start("other");
    scene.show({ a: "2" });
    await scene.clock.step(10_000);
    assert.deepEqual(scene.deeds.toSorted(), ["exec main-0 reload", "exec other-0 reload"]);
  });

  it("tries for ever what fails, says why once, without what the command said, and then that it worked", async () => {
    await using scene = new Scene(byExec);
    scene.show({ a: "1" });
    scene.start();
    scene.exitCode = 3;
    scene.show({ a: "2" });
    await scene.clock.step(600_000);
    assert.ok(scene.deeds.length > 10);
    assert.equal(scene.reports[0], `main config Failing ${scene.deeds.length}`);
    const message = /"exec:reload" .*: the command ended with 3. It is tried again/;
    assert.equal(scene.events.length, 1);
    assert.match(scene.events[0]?.message ?? "", message);
    scene.exitCode = 0;
    await scene.clock.step(60_000);
    assert.deepEqual(scene.reports, [`main config Succeeded ${scene.deeds.length}`]);
    assert.deepEqual(
      scene.events.map(({ reason }) => reason),
      ["ConfigReloadFailed", "ConfigReloaded"],
    );
    assert.doesNotMatch(JSON.stringify(scene.events), /hunter2/);
  });

  it("does what the pod asks for now when what it asked for did not work", async () => {
    await using scene = new Scene(byExec);
    scene.show({ a: "1" });
    scene.start();
    scene.exitCode = 1;
    scene.show({ a: "2" });
    await scene.clock.step(50);
    scene.annotations = bySignal;
    await scene.clock.step(60_000);
    assert.match(scene.deeds.at(-1) ?? "", /signal 15$/);
    assert.equal(scene.deeds.filter((one) => one.endsWith("signal 15")).length, 1);
  });

  it("neither repeats after a restart of the agent what was told, nor loses what was not", async () => {
    await using scene = new Scene(byExec);
    scene.show({ a: "1" });
    scene.start();
    scene.show({ a: "2" });
    await scene.clock.step(1000);
    assert.equal(scene.deeds.length, 1);
    await scene.restart();
    await scene.clock.step(100_000);
    assert.equal(scene.deeds.length, 1);
    assert.deepEqual(scene.reports, ["main config Succeeded 1"]);

    await scene.stop();
    scene.show({ a: "3" });
    await scene.restart();
    await scene.clock.step(1000);
    assert.equal(scene.deeds.length, 2, "what changed while no agent was there");

    scene.exitCode = 1;
    scene.show({ a: "4" });
    await scene.clock.step(100);
    await scene.restart();
    scene.exitCode = 0;
    await scene.clock.step(1000);
    assert.deepEqual(scene.reports, ["main config Succeeded 1"]);
    await scene.restart();
    const { length } = scene.deeds;
    await scene.clock.step(100_000);
    assert.equal(scene.deeds.length, length);
  });

  it("tells what was there before once more when a try of something else may have worked", async () => {
    await using scene = new Scene(byExec);
    scene.show({ a: "1" });
    scene.start();
    scene.exitCode = 1;
    scene.show({ a: "2" });
    await scene.clock.step(50);
    await scene.restart();
    scene.exitCode = 0;
    scene.show({ a: "1" });
    await scene.clock.step(1000);
    assert.equal(scene.deeds.length, 2);
    assert.deepEqual(scene.reports, ["main config Succeeded 1"]);
  });

  it("tells a container that starts anew nothing, and forgets the one before", async () => {
    await using scene = new Scene(byExec);
    scene.show({ a: "1" });
    scene.start();
    scene.exitCode = 1;
    scene.show({ a: "2" });
    await scene.clock.step(50);
    scene.exit();
    assert.deepEqual(scene.reports, []);
    scene.start("main", 1);
    await scene.clock.step(100_000);
    assert.equal(scene.deeds.length, 1);
  });

  it("goes by the keys that changed since the container was told last, also after a restart", async () => {
    await using scene = new Scene({
      "driftless.dev/reload.a": "exec:for a",
      ...{ "driftless.dev/reload.b": "hot" },
    });
    scene.show({ a: "1", b: "1" });
    scene.start();
    scene.show({ a: "1", b: "2" });
    await scene.clock.step(1000);
    assert.deepEqual([scene.deeds, scene.reports], [[], []]);
    await scene.restart();
    scene.show({ a: "1", b: "3" });
    await scene.clock.step(1000);
    assert.deepEqual(scene.deeds, []);
    scene.show({ a: "2", b: "3" });
    await scene.clock.step(1000);
    assert.deepEqual(scene.deeds, ["exec main-0 for a"]);
  });

  it("does each of several things that different keys ask for, and no more than what failed again", async () => {
    await using scene = new Scene({
      "driftless.dev/reload.a": "exec:for a",
      "driftless.dev/reload.b": "signal:TERM",
    });
    scene.show({ a: "1", b: "1" });
    scene.start();
    scene.exitCode = 1;
    scene.show({ a: "2", b: "2" });
    await scene.clock.step(2000);
    await scene.restart();
    await scene.clock.step(2000);
    const signals = scene.deeds.filter((one) => one.includes("signal"));
    assert.equal(signals.length, 1);
    assert.match(scene.reports[0] ?? "", /Failing/);
    scene.exitCode = 0;
    await scene.clock.step(60_000);
    assert.match(scene.reports[0] ?? "", /Succeeded/);
    assert.equal(scene.deeds.filter((one) => one.includes("signal")).length, 1);
  });

  it("does not take a signal that nobody handles for a success", async () => {
    await using scene = new Scene({ "driftless.dev/reload": "signal:ALRM" });
    scene.show({ a: "1" });
    scene.start();
    scene.show({ a: "2" });
    await scene.clock.step(1000);
    assert.deepEqual(scene.deeds, []);
    assert.match(
      scene.events[0]?.message ?? "",
      /SIGALRM was not sent: the process has no handler/,
    );
  });
});
