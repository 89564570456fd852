import { deepEqual, equal, throws } from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { describe, it } from "node:test";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { seededRandom } from "../base/testing/seeded-random.ts";
import { type TempDir, tempDir } from "../base/testing/temp-dir.ts";
import { StateDirectory } from "./publish/state-directory.ts";
import { Reloading } from "./reloading.ts";

class Scene implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly dir: TempDir = tempDir();
  readonly state: StateDirectory = new StateDirectory(this.dir.path);
  /** Each try, by what is told. */
  readonly tries: string[] = [];
  /** Tries of the second action last until this settles. */
  slow: Promise<void> | undefined;
  applied: string | undefined;
  readonly reloading: Reloading;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor() {
    const actions = ["quick", "slow"].map((path) => ({ type: "touch", path }) as const);
    this.state.open();
    this.reloading = new Reloading({
      spec: { actions, minWaitMs: 0, maxWaitMs: 0, onStart: false },
      tryOf: (action) => async () => {
        const name = action.type === "touch" ? action.path : "";
        this.tries.push(name);
        if (name === "slow") await this.slow;
      },
      keeper: this.state,
      onProgress: ({ result, version }) => {
        if (result === "Succeeded") this.applied = version;
      },
      ...{ clock: this.clock, random: seededRandom(1) },
    });
    this.#running = this.reloading.run(this.#stop.signal);
  }

  async want(version: string): Promise<void> {
    this.reloading.want(version, { isFirst: false });
    await this.clock.step(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.dir[Symbol.dispose]();
  }
}

describe("Reloading", () => {
  it("tells once more who was being told while another version was live, and nobody else", async () => {
    await using scene = new Scene();
    const slow = Promise.withResolvers<void>();
    scene.slow = slow.promise;
    await scene.want("a");
    await scene.want("b");
    await scene.want("a");
    equal(scene.applied, undefined);
    scene.slow = undefined;
    slow.resolve();
    await scene.clock.step(0);
    deepEqual(scene.tries, ["quick", "slow", "slow"]);
    equal(scene.applied, "a");
    const { version, done } = scene.state.readTold() ?? {};
    deepEqual([version, done?.length], ["a", 2]);
  });

  it("tells once more who was being told while something else was visible for a moment", async () => {
    await using scene = new Scene();
    const slow = Promise.withResolvers<void>();
    scene.slow = slow.promise;
    await scene.want("a");
    scene.reloading.doubt();
    scene.slow = undefined;
    slow.resolve();
    await scene.clock.step(0);
    deepEqual(scene.tries, ["quick", "slow", "slow"]);
    equal(scene.applied, "a");
    scene.reloading.doubt();
    await scene.clock.step(1e6);
    equal(scene.tries.length, 3, "nobody was being told");
  });

  it("does not take for told in another life what it could not note", async () => {
    await using scene = new Scene();
    await scene.want("a");
    equal(scene.state.readTold()?.done.length, 2);
    mkdirSync(scene.dir.join("told.new", "in the way"), { recursive: true });
    throws(() => scene.state.writeTold({ version: "b", done: [] }));
    equal(scene.state.readTold(), undefined, "of a nobody knows any more");
  });
});
