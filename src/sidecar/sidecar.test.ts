import { deepEqual, equal, match, ok } from "node:assert/strict";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { describe, it } from "node:test";
import { createMetrics } from "../base/metrics.ts";
import { CaptureLogger } from "../base/testing/capture-logger.ts";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { seededRandom } from "../base/testing/seeded-random.ts";
import { tempDir } from "../base/testing/temp-dir.ts";
import { currentProcess } from "../files/process-identity.ts";
import { compose } from "./compose.ts";
import type { Compose, ReloadSpec } from "./compose-model.ts";
import type { Verdict } from "./gate/gate.ts";
import { GatedPublisher } from "./publish/gated-publisher.ts";
import { StateDirectory } from "./publish/state-directory.ts";
import { VolumeOutput } from "./publish/volume-output.ts";
import { Reloading } from "./reloading.ts";
import { Acknowledgement } from "./report/acknowledgement.ts";
import type { SidecarEvent } from "./report/pod-events.ts";
import { Reporter } from "./report/reporter.ts";
import { createSidecarMetrics } from "./report/sidecar-metrics.ts";
import { Sidecar } from "./sidecar.ts";
import { FakeSource } from "./testing/fake-source.ts";

const self = currentProcess();

class Scene implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly logger = new CaptureLogger();
  readonly dir = tempDir();
  readonly one = new FakeSource("one");
  readonly two = new FakeSource("two");
  readonly events: SidecarEvent[] = [];
  /** What the app was told: what was live at that moment. */
  readonly told: string[] = [];
  reload: Partial<ReloadSpec> = {};
  verdictOn: (text: string) => Verdict = () => ({ verdict: "passed" });
  tellFailure: string | undefined;
  /** The app takes until this settles. */
  slow: Promise<void> | undefined;
  isBeforeApp = false;
  metrics = createMetrics();
  reporter: Reporter | undefined;
  sidecar: Sidecar | undefined;
  #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  /** Begins a life, on what the one before left on disk. */
  start(): void {
    this.dir.write({ "ack/.keep": "" });
    const { clock, logger, one, two } = this;
    this.#stop.abort();
    this.#stop = new AbortController();
    const random = seededRandom(1);
    const state = new StateDirectory(this.dir.join("state"));
    state.open();
    const directory = this.dir.join("out");
    const publisher = new GatedPublisher({
      output: new VolumeOutput({ directory, self, clock, random, logger }),
      gate: {
        fingerprint: () => "",
        judge: ({ files }) => {
          const text = Buffer.from(files.get("a")?.data ?? []).toString();
          return Promise.resolve(this.verdictOn(text));
        },
      },
      ...{ keeper: state, clock, logger },
    });
    this.metrics = createMetrics();
    const reporter = new Reporter({
      metrics: createSidecarMetrics(this.metrics),
      acknowledgement: new Acknowledgement({
        ...{ directory: this.dir.join("ack"), path: directory, pid: 7, clock, logger },
      }),
      events: { record: (event) => void this.events.push(event) },
      ...{ failsReadiness: true, clock, logger },
    });
    const spec: ReloadSpec = {
      actions: [{ type: "touch", path: "/x" }],
      ...{ minWaitMs: 100, maxWaitMs: 1000, onStart: true, ...this.reload },
    };
    const reloading = new Reloading({
      ...{ spec, keeper: state, isBeforeApp: this.isBeforeApp, clock, random },
      tryOf: () => async () => {
        this.told.push(this.live("a"));
        if (this.tellFailure !== undefined) throw new Error(this.tellFailure);
        await this.slow;
      },
      onProgress: (progress) => {
        reporter.reload(progress);
        sidecar.noteProgress();
      },
    });
    const whole: Compose = {
      sources: new Map(
        ["one", "two"].map((name) => [name, { type: "environment", names: [] }] as const),
      ),
      files: ["one", "two"].map((name) => ({
        path: "./",
        make: { type: "copy", from: `${name}/**`, rename: undefined },
        ...{ decode: [], mode: undefined, owner: undefined },
      })),
      output: { type: "volume", path: directory },
      gate: { schemas: [], command: undefined, timeoutMs: 1, failsReadiness: true },
      reload: spec,
    };
    const sidecar = new Sidecar({
      ...{ sources: [one, two], waits: spec, publisher, reloading, reporter },
      compose: (contents) => compose(whole, { contents, variables: {} }),
      ...{ clock, random, logger },
    });
    this.reporter = reporter;
    this.sidecar = sidecar;
    this.#running = sidecar.run(this.#stop.signal);
  }

  async startWith(a: string): Promise<void> {
    this.one.set({ a });
    this.two.set({ b: "b" });
    this.start();
    await this.clock.step(0);
  }

  live(path: string): string {
    return readFileSync(this.dir.join("out", path), "utf8");
  }

  ack(): Readonly<Record<string, { readonly version: string; readonly reason: string } | null>> {
    const name = `${encodeURIComponent(this.dir.join("out"))}.7.json`;
    return JSON.parse(readFileSync(this.dir.join("ack", name), "utf8")) as ReturnType<Scene["ack"]>;
  }

  async metric(name: string): Promise<string | undefined> {
    const text = await this.metrics.text();
    return text.split("\n").find((line) => line.startsWith(name) && !line.startsWith("#"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    equal(this.clock.waiting, 0, "a timer is left");
    this.dir[Symbol.dispose]();
  }
}

const no = (reason: string): Verdict => ({ verdict: "rejected", reason, output: undefined });

describe("Sidecar", () => {
  it("publishes as soon as all sources have begun, and tells the app once", async () => {
    await using scene = new Scene();
    scene.one.set({ a: "1" });
    scene.start();
    await scene.clock.step(1000);
    match(scene.reporter?.readinessProblem() ?? "", /nothing is published yet/);
    scene.two.set({ b: "2" });
    await scene.clock.step(0);
    await scene.sidecar?.applied;
    deepEqual([scene.live("a"), scene.live("b"), scene.told], ["1", "2", ["1"]]);
    equal(scene.reporter?.readinessProblem(), undefined);
    await scene.clock.step(120_000);
    equal(scene.told.length, 1);
  });

  it("makes one publish and one reload of changes that come together", async () => {
    await using scene = new Scene();
    await scene.startWith("1");
    scene.one.set({ a: "2" });
    await scene.clock.step(60);
    scene.two.set({ b: "3" });
    await scene.clock.step(60);
    equal(scene.live("a"), "1");
    await scene.clock.step(40);
    deepEqual([scene.live("a"), scene.live("b"), scene.told], ["2", "3", ["1", "2"]]);
  });

  it("waits no longer than the maximum for quiet", async () => {
    await using scene = new Scene();
    await scene.startWith("0");
    for (let i = 1; i <= 30; i++) {
      scene.one.set({ a: String(i) });
      await scene.clock.step(50);
    }
    ok(Number(scene.live("a")) >= 20, `${scene.live("a")} is live after 1.5 s`);
  });

  it("is unready with failsReadiness while what the sources say cannot be made", async () => {
    await using scene = new Scene();
    await scene.startWith("1");
    scene.one.set({ "..a": "reserved" });
    await scene.clock.step(100);
    equal(scene.live("a"), "1");
    match(scene.reporter?.readinessProblem() ?? "", /reserved/);
    scene.one.set({ a: "2" });
    await scene.clock.step(1000);
    equal(scene.reporter?.readinessProblem(), undefined);
  });

  it("keeps a rejected version away, says so everywhere, and goes on with the next good one", async () => {
    await using scene = new Scene();
    scene.verdictOn = (text) => (text === "bad" ? no("it is bad") : { verdict: "passed" });
    await scene.startWith("1");
    scene.one.set({ a: "bad" });
    await scene.clock.step(100);
    equal(scene.live("a"), "1");
    equal(scene.reporter?.readinessProblem(), "it is bad");
    deepEqual(scene.events, [{ type: "Warning", reason: "ConfigRejected", message: "it is bad" }]);
    const { noticed, applied, rejected } = scene.ack();
    equal(rejected?.reason, "it is bad");
    equal(rejected?.version, noticed?.version);
    ok(applied?.version !== noticed?.version);
    match((await scene.metric('driftless_sidecar_problem{stage="gate"}')) ?? "", / 1$/);
    ok(scene.logger.records.some(({ fields }) => fields["reason"] === "it is bad"));
    scene.one.set({ a: "2" });
    await scene.clock.step(100);
    deepEqual([scene.live("a"), scene.told], ["2", ["1", "2"]]);
    equal(scene.ack()["rejected"], null);
    equal(scene.ack()["applied"]?.version, scene.ack()["noticed"]?.version);
    match((await scene.metric("driftless_sidecar_up_to_date")) ?? "", / 1$/);
  });

  it("has the last good version live and told in its next life, whatever the sources say then", async () => {
    await using scene = new Scene();
    await scene.startWith("1");
    rmSync(scene.dir.join("out"), { recursive: true });
    scene.verdictOn = () => no("bad");
    await scene.startWith("bad");
    deepEqual([scene.live("a"), scene.told], ["1", ["1", "1"]]);
  });

  it("says that the last good version cannot be made live, and makes it live when it can", async () => {
    await using scene = new Scene();
    await scene.startWith("1");
    rmSync(scene.dir.join("out"), { recursive: true });
    scene.dir.write({ out: "in the way" });
    Object.assign(scene, { one: new FakeSource("one"), two: new FakeSource("two") });
    scene.start();
    await scene.clock.step(0);
    match(scene.reporter?.problems.get("publish") ?? "", /^the last good version cannot be made/);
    match(scene.reporter?.readinessProblem() ?? "", /^publish: the last good/);
    rmSync(scene.dir.join("out"));
    await scene.clock.step(60_000);
    equal(scene.live("a"), "1");
    equal(scene.reporter?.problems.get("publish"), undefined);
  });

  it("does not wait for sources that are away with the last good version", async () => {
    await using scene = new Scene();
    await scene.startWith("1");
    rmSync(scene.dir.join("out"), { recursive: true });
    const [one, two] = [new FakeSource("one"), new FakeSource("two")];
    Object.assign(scene, { one, two });
    scene.start();
    await scene.clock.step(0);
    equal(scene.live("a"), "1");
    one.fail("cannot be reached");
    await scene.clock.step(10_000);
    deepEqual(scene.told, ["1", "1"]);
    ok(scene.ack()["applied"]);
    deepEqual(scene.reporter?.problems.get("source"), "one: cannot be reached");
    match(scene.reporter?.problems.get("compose") ?? "", /^nothing was ever heard of/);
    equal(scene.reporter?.readinessProblem(), undefined, "also with failsReadiness");
  });

  it("tells for ever until it succeeds, and calls nothing applied before", async () => {
    await using scene = new Scene();
    scene.tellFailure = "nobody listens there";
    await scene.startWith("1");
    await scene.clock.step(600_000);
    equal(scene.reporter?.applied, undefined);
    equal(scene.ack()["applied"], null);
    scene.tellFailure = undefined;
    await scene.clock.step(60_000);
    await scene.sidecar?.applied;
    ok(scene.ack()["applied"] !== null);
  });

  it("tells the app once more that was reading while a publish failed, and may have seen some of it", async () => {
    await using scene = new Scene();
    const slow = Promise.withResolvers<void>();
    scene.slow = slow.promise;
    await scene.startWith("1");
    scene.dir.write({ "out/new": "of somebody else" });
    scene.one.set({ a: "2", new: "x" });
    await scene.clock.step(200);
    equal(scene.ack()["applied"], null);
    slow.resolve();
    scene.slow = undefined;
    await scene.clock.step(0);
    deepEqual(scene.told, ["1", "1"]);
  });

  it("neither repeats what was told in an earlier life nor forgets what was not", async () => {
    await using scene = new Scene();
    scene.reload = { onStart: false };
    await scene.startWith("1");
    deepEqual(scene.told, [], "an app that starts now starts with it");
    scene.one.set({ a: "2" });
    await scene.clock.step(100);
    await scene.startWith("2");
    await scene.clock.step(1000);
    deepEqual(scene.told, ["2"]);
    scene.tellFailure = "down";
    scene.one.set({ a: "3" });
    await scene.clock.step(100);
    scene.tellFailure = undefined;
    await scene.startWith("3");
    await scene.clock.step(1000);
    deepEqual(scene.told, ["2", "3", "3"]);
  });

  it("tells nobody before the app has started, and leaves what is to be told to the next life", async () => {
    await using scene = new Scene();
    scene.reload = { onStart: false };
    scene.isBeforeApp = true;
    await scene.startWith("1");
    await scene.sidecar?.applied;
    scene.isBeforeApp = false;
    await scene.startWith("1");
    await scene.clock.step(1000);
    deepEqual(scene.told, [], "the app has started with it");
    // The pod is started anew, with a directory that has survived.
    scene.isBeforeApp = true;
    await scene.startWith("2");
    await scene.sidecar?.applied;
    deepEqual([scene.live("a"), scene.told], ["2", []]);
    scene.isBeforeApp = false;
    await scene.startWith("2");
    await scene.clock.step(1000);
    deepEqual(scene.told, ["2"]);
  });

  it("tries again by itself when the gate could not be asked", async () => {
    await using scene = new Scene();
    await scene.startWith("1");
    scene.verdictOn = () => ({ verdict: "failed", reason: "it hangs", output: undefined });
    scene.one.set({ a: "2" });
    await scene.clock.step(100);
    deepEqual(scene.reporter?.problems.get("gate"), "it hangs");
    scene.verdictOn = () => ({ verdict: "passed" });
    await scene.clock.step(30_000);
    deepEqual([scene.live("a"), scene.reporter?.problems.size], ["2", 0]);
  });

  it("removes what it has replaced also while nothing can be published: that may be what fills the disk", async () => {
    await using scene = new Scene();
    await scene.startWith("1");
    scene.one.set({ a: "2" });
    await scene.clock.step(100);
    const versions = (): number =>
      readdirSync(scene.dir.join("out")).filter((name) => /^\.\.\d/.test(name)).length;
    equal(versions(), 2);
    const reason = "there is no room for the gate";
    scene.verdictOn = () => ({ verdict: "failed", reason, output: undefined });
    scene.one.set({ a: "3" });
    await scene.clock.step(60_000);
    equal(versions(), 1);
    equal(scene.live("a"), "2");
  });

  it("mends what somebody broke, by its slow net", async () => {
    await using scene = new Scene();
    await scene.startWith("1");
    rmSync(scene.dir.join("out/a"));
    await scene.clock.step(60_000);
    equal(scene.live("a"), "1");
  });
});
