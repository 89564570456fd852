import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { seededRandom } from "../base/testing/seeded-random.ts";
import { Reloader } from "./reloader.ts";

class Scene implements AsyncDisposable {
  readonly clock = new FakeClock();
  /** Each try: "1000 a". */
  readonly tries: string[] = [];
  readonly progress: string[] = [];
  /** Why tries fail, while they do. */
  failure: string | undefined;
  /** Tries last until this settles. */
  gate: Promise<void> | undefined;
  readonly reloader: Reloader;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(told?: string) {
    const { clock } = this;
    this.reloader = new Reloader({
      ...{ minWaitMs: 100, maxWaitMs: 1000, told, clock, random: seededRandom(1) },
      tell: async (version) => {
        this.tries.push(`${clock.monotonicMs()} ${version}`);
        await this.gate;
        if (this.failure !== undefined) throw new Error(this.failure);
      },
      onProgress: ({ version, result, attempts, message }) =>
        void this.progress.push(`${version} ${result} ${attempts} ${message}`.trim()),
    });
    this.#running = this.reloader.run(this.#stop.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    assert.equal(this.clock.waiting, 0);
  }
}

describe("Reloader", () => {
  it("tells a version once, after it was quiet for the minimum wait", async () => {
    await using scene = new Scene("a");
    scene.reloader.want("b");
    await scene.clock.step(99);
    assert.deepEqual(scene.tries, []);
    await scene.clock.step(1);
    assert.deepEqual(scene.tries, ["100 b"]);
    await scene.clock.step(1e6);
    assert.deepEqual(scene.progress, ["b Pending 0", "b Succeeded 1"]);
    scene.reloader.want("b");
    await scene.clock.step(1e6);
    assert.equal(scene.tries.length, 1);
  });

  it("tells the last of a burst, and never waits longer than the maximum", async () => {
    await using scene = new Scene("a");
    for (let i = 0; i < 30; i++) {
      scene.reloader.want(`v${i}`);
      await scene.clock.step(50);
    }
    await scene.clock.step(100);
    assert.deepEqual(scene.tries, ["1000 v19", "1550 v29"]);
  });

  it("tells nothing when what it had told is back before it could tell anything else", async () => {
    await using scene = new Scene("a");
    scene.reloader.want("b");
    await scene.clock.step(50);
    scene.reloader.want("a");
    await scene.clock.step(10_000);
    assert.deepEqual(scene.tries, []);
    assert.equal(scene.reloader.progress, undefined);
  });

  it("tells what it had told before once more after a try of something else, which may have worked", async () => {
    await using scene = new Scene("a");
    scene.failure = "down";
    scene.reloader.want("b");
    await scene.clock.step(100);
    scene.failure = undefined;
    scene.reloader.want("a");
    await scene.clock.step(100);
    assert.deepEqual(scene.tries, ["100 b", "200 a"]);
  });

  it("tries for ever, with growing delays up to a minute, and says why", async () => {
    await using scene = new Scene();
    scene.failure = "nobody listens there";
    scene.reloader.want("a");
    await scene.clock.step(3_600_000);
    const times = scene.tries.map((one) => Number.parseInt(one, 10));
    const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0));
    assert.ok(times.length > 60, `${times.length} tries in an hour`);
    assert.ok((gaps[0] ?? 0) <= 500 && gaps.every((gap) => gap <= 60_000));
    assert.ok(gaps.slice(8).every((gap) => gap >= 48_000));
    assert.equal(scene.progress.at(-1), `a Failing ${times.length} nobody listens there`);
    scene.failure = undefined;
    await scene.clock.step(60_000);
    assert.equal(scene.progress.at(-1), `a Succeeded ${times.length + 1}`);
  });

  it("does not let a newer version wait for the delay of an older one", async () => {
    await using scene = new Scene();
    scene.failure = "down";
    scene.reloader.want("a");
    await scene.clock.step(600_000);
    const { length } = scene.tries;
    scene.failure = undefined;
    scene.reloader.want("b");
    await scene.clock.step(100);
    assert.deepEqual(scene.tries.slice(length), ["600100 b"]);
  });

  it("gives up what nobody wants any more", async () => {
    await using scene = new Scene();
    scene.failure = "down";
    scene.reloader.want("a");
    await scene.clock.step(100);
    scene.reloader.want(undefined);
    await scene.clock.step(600_000);
    assert.equal(scene.tries.length, 1);
  });

  it("has one try at a time, and tells after it what was wanted meanwhile", async () => {
    await using scene = new Scene();
    const gate = Promise.withResolvers<void>();
    scene.gate = gate.promise;
    scene.reloader.want("a");
    await scene.clock.step(100);
    scene.reloader.want("b");
    scene.reloader.want("c");
    await scene.clock.step(5000);
    assert.deepEqual(scene.tries, ["100 a"]);
    scene.gate = undefined;
    gate.resolve();
    await scene.clock.step(100);
    assert.deepEqual(scene.tries, ["100 a", "5200 c"]);
    assert.deepEqual(scene.progress.at(-1), "c Succeeded 1");
  });

  it("tells once more what came back during its own try: something else was there to be read meanwhile", async () => {
    await using scene = new Scene();
    const gate = Promise.withResolvers<void>();
    scene.gate = gate.promise;
    scene.reloader.want("a");
    await scene.clock.step(100);
    scene.reloader.want("b");
    scene.reloader.want("a");
    scene.gate = undefined;
    gate.resolve();
    await scene.clock.step(0);
    assert.equal(scene.progress.at(-1), "a Pending 0", "nobody knows what it has read");
    await scene.clock.step(100);
    assert.deepEqual(scene.tries, ["100 a", "200 a"]);
    assert.equal(scene.progress.at(-1), "a Succeeded 1");
  });

  it("ends a try when it is to end itself", async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const reloader = new Reloader({
      ...{ minWaitMs: 0, maxWaitMs: 0, told: undefined, clock, random: seededRandom(1) },
      tell: (_, signal) => clock.sleep(1e9, signal),
      onProgress: () => undefined,
    });
    const running = reloader.run(stop.signal);
    reloader.want("a");
    await clock.step(1);
    stop.abort();
    await running;
    assert.equal(clock.waiting, 0);
  });
});
