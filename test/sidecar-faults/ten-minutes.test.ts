// The app cannot be told for ten minutes. Nothing is called applied meanwhile, nothing is hammered and nothing piles up; when it is back, it is told once, of the newest version.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { FakeClock } from "../../src/base/testing/fake-clock.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { Life, LifeApp, liveTexts, loadedTexts } from "./life.ts";

const MINUTE_MS = 60_000;
const STEP_MS = 100;

interface Ack {
  readonly applied: { readonly version: string } | null;
  readonly noticed: { readonly version: string } | null;
}

class Scene implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly app = new LifeApp("volume");
  readonly dir: TempDir = tempDir();
  #life: Life | undefined;

  async start(): Promise<Life> {
    await this.app.listen();
    const root = this.dir.path;
    this.app.root = root;
    mkdirSync(this.dir.join("ack"));
    const { clock } = this;
    const { port } = this.app;
    const ackDirectory = this.dir.join("ack");
    this.#life = new Life({ root, kind: "volume", port, onStart: true, ackDirectory, clock });
    return this.#life;
  }

  live(): unknown {
    return liveTexts(this.dir.join("live"), "volume");
  }

  ack(): Ack {
    const [name = ""] = readdirSync(this.dir.join("ack"));
    return JSON.parse(readFileSync(this.dir.join("ack", name), "utf8")) as Ack;
  }

  /** Time passes in small steps, with turns for connections. Nothing may wait for a process meanwhile: that takes time that is real. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await this.clock.step(STEP_MS);
      await setImmediate();
    }
  }

  async until(what: string, isSo: () => boolean): Promise<void> {
    for (let turns = 0; !isSo(); turns++) {
      assert.ok(turns < 100_000, `never: ${what}`);
      await this.clock.step(1);
      // The gate is a process, and needs time that is real.
      await sleep(1);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#life?.[Symbol.asyncDispose]();
    await this.app[Symbol.asyncDispose]();
    assert.equal(this.clock.waiting, 0, "a timer is left");
    this.dir[Symbol.dispose]();
  }
}

describe("a sidecar whose app cannot be told for ten minutes", { timeout: 120_000 }, () => {
  for (const way of ["answers 503", "is away"] as const) {
    it(`tells it of the newest version once it is back, if it ${way}`, async () => {
      await using scene = new Scene();
      const { app, clock } = scene;
      const life = await scene.start();
      life.source.set({ a: "0" });
      await scene.until("the first is applied", () => life.applied !== undefined);
      const { applied } = life;
      const acked = scene.ack().applied?.version;
      const { port } = app;
      if (way === "is away") await app[Symbol.asyncDispose]();
      else app.isDown = true;
      const before = app.told;

      const waiting: number[] = [];
      for (let minute = 1; minute <= 10; minute++) {
        life.source.set({ a: String(minute) });
        await scene.until("it is live", () => JSON.stringify(scene.live()) === `{"a":"${minute}"}`);
        await scene.pass(MINUTE_MS);
        waiting.push(clock.waiting);
        assert.equal(life.applied, applied, "nothing new is applied");
        assert.equal(scene.ack().applied?.version, acked);
        assert.notEqual(scene.ack().noticed?.version, acked);
      }
      assert.ok(life.problems.get("reload") !== undefined, "it is said");
      // One more while it is being told.
      const [first, last] = [waiting.slice(0, 3), waiting.slice(-3)];
      assert.ok(Math.min(...last) <= Math.min(...first), `timers pile up: ${waiting.join()}`);
      if (way === "answers 503") {
        const tries = app.told - before;
        assert.ok(tries >= 40 && tries <= 100, `${tries} tries`);
      }
      assert.deepEqual(loadedTexts(scene.dir.path), { a: "0" });

      if (way === "is away") await app.listen(port);
      app.isDown = false;
      const asked = app.told;
      await scene.pass(1.5 * MINUTE_MS);
      assert.deepEqual(loadedTexts(scene.dir.path), { a: "10" });
      assert.equal(app.told - asked, 1, "it is told once");
      assert.notEqual(life.applied, applied);
      assert.notEqual(scene.ack().applied?.version, acked);
      assert.equal(life.problems.size, 0);
    });
  }

  it("asks at most once a minute in the end, for one version that stays", async () => {
    await using scene = new Scene();
    const life = await scene.start();
    scene.app.isDown = true;
    life.source.set({ a: "1" });
    await scene.until("it is live", () => JSON.stringify(scene.live()) === '{"a":"1"}');
    await scene.pass(10 * MINUTE_MS);
    const { told } = scene.app;
    assert.ok(told >= 12 && told <= 20, `${told} tries in ten minutes`);
    assert.equal(life.applied, undefined);
    assert.equal(scene.ack().applied, null);
    scene.app.isDown = false;
    await scene.pass(1.5 * MINUTE_MS);
    assert.deepEqual([loadedTexts(scene.dir.path), scene.app.told], [{ a: "1" }, told + 1]);
  });
});
