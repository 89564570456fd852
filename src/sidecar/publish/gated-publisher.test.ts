import { deepEqual, equal, match, ok } from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { currentProcess } from "../../files/process-identity.ts";
import type { Verdict } from "../gate/gate.ts";
import type { Candidate } from "../publisher.ts";
import { testCandidate } from "../testing/test-candidate.ts";
import { GatedPublisher } from "./gated-publisher.ts";
import { StateDirectory } from "./state-directory.ts";
import { VolumeOutput } from "./volume-output.ts";

const { signal } = new AbortController();
const self = currentProcess();

class Scene implements Disposable {
  readonly dir = tempDir();
  readonly clock = new FakeClock();
  readonly logger = new CaptureLogger();
  verdict: Verdict = { verdict: "passed" };
  fingerprint = "one";
  breaksOutput = false;
  /** So often the disk has room for a set. */
  fullAfter = Infinity;
  readonly judged: string[] = [];
  publisher = this.nextLife();

  /** As after a crash. */
  nextLife(): GatedPublisher {
    const { clock, logger } = this;
    const state = new StateDirectory(this.dir.join("state"));
    state.open();
    const directory = this.dir.join("out");
    const random = seededRandom(1);
    const output = new VolumeOutput({ directory, self, clock, random, logger });
    const full = (): never => {
      throw new Error("ENOSPC");
    };
    this.publisher = new GatedPublisher({
      output: {
        read: () => output.read(),
        write: (candidate) => (this.breaksOutput ? full() : output.write(candidate)),
        obstacle: (candidate) => output.obstacle(candidate),
        upkeep: () => output.upkeep(),
      },
      gate: {
        fingerprint: () => this.fingerprint,
        judge: (candidate: Candidate) => {
          this.judged.push(candidate.version);
          return Promise.resolve(this.verdict);
        },
      },
      keeper: {
        readGood: () => state.readGood(),
        writeGood: (candidate) => (this.fullAfter-- > 0 ? state.writeGood(candidate) : full()),
      },
      ...{ clock, logger },
    });
    return this.publisher;
  }

  live(path: string): string {
    return readFileSync(this.dir.join("out", path), "utf8");
  }

  [Symbol.dispose](): void {
    this.dir[Symbol.dispose]();
  }
}

const no = (reason: string): Verdict => ({ verdict: "rejected", reason, output: undefined });

describe("GatedPublisher", () => {
  it("publishes what passes, once, and mends what somebody broke", async () => {
    using scene = new Scene();
    const set = testCandidate({ a: "1" });
    equal((await scene.publisher.publish(set, signal)).result, "published");
    equal((await scene.publisher.publish(set, signal)).result, "unchanged");
    rmSync(scene.dir.join("out/a"));
    equal((await scene.publisher.publish(set, signal)).result, "unchanged");
    equal(scene.live("a"), "1");
    equal(scene.judged.length, 1);
  });

  it("keeps what is live when the gate says no, and does not ask again until something changes", async () => {
    using scene = new Scene();
    await scene.publisher.publish(testCandidate({ a: "1" }), signal);
    scene.verdict = no("bad");
    const bad = testCandidate({ a: "2" });
    for (let i = 0; i < 3; i++) {
      deepEqual(await scene.publisher.publish(bad, signal), {
        ...{ result: "rejected", reason: "bad", isByGate: true },
      });
    }
    equal(scene.judged.length, 2);
    equal(scene.live("a"), "1");
    scene.fingerprint = "two";
    await scene.publisher.publish(bad, signal);
    equal(scene.judged.length, 3, "another schema is a reason to ask");
    await scene.clock.step(600_000);
    scene.verdict = { verdict: "passed" };
    equal((await scene.publisher.publish(bad, signal)).result, "published");
    equal(scene.live("a"), "2");
  });

  it("asks again when the gate could not be asked", async () => {
    using scene = new Scene();
    scene.verdict = { verdict: "failed", reason: "it hangs", output: undefined };
    const set = testCandidate({ a: "1" });
    equal((await scene.publisher.publish(set, signal)).result, "failed");
    scene.verdict = { verdict: "passed" };
    equal((await scene.publisher.publish(set, signal)).result, "published");
  });

  it("has the last good set live in the next life, also on an empty output", async () => {
    using scene = new Scene();
    const set = testCandidate({ a: "1", "sub/b": "\0\n2" }, { mode: 0o640 });
    await scene.publisher.publish(set, signal);
    rmSync(scene.dir.join("out"), { recursive: true });
    const next = scene.nextLife();
    deepEqual(next.restore(), { result: "published", version: set.version });
    equal(next.isFresh, false);
    deepEqual([scene.live("a"), scene.live("sub/b")], ["1", "\0\n2"]);
    equal(statSync(scene.dir.join("out/a")).mode & 0o777, 0o640);
    scene.verdict = no("bad");
    await next.publish(testCandidate({ a: "2" }), signal);
    equal(scene.live("a"), "1");
    equal(scene.judged.length, 2, "what is restored has been judged");
  });

  it("heals a crash between keeping a set and showing it", async () => {
    using scene = new Scene();
    await scene.publisher.publish(testCandidate({ a: "1" }), signal);
    const state = new StateDirectory(scene.dir.join("state"));
    state.writeGood(testCandidate({ a: "2" }));
    scene.nextLife().restore();
    equal(scene.live("a"), "2");
  });

  it("takes a kept set that is cut short or changed for none", async () => {
    using scene = new Scene();
    await scene.publisher.publish(testCandidate({ a: "1" }), signal);
    const file = scene.dir.join("state/good");
    const whole = readFileSync(file);
    const changed = Buffer.from(whole);
    changed[whole.length - 1] = 0x58;
    for (const bytes of [whole.subarray(0, -1), changed, Buffer.from(""), Buffer.from("x\ny")]) {
      writeFileSync(file, bytes);
      equal(scene.nextLife().restore(), undefined);
      equal(scene.publisher.isFresh, false, "there are files");
      equal(scene.live("a"), "1");
    }
  });

  it("does not judge again what passed and could not be written", async () => {
    using scene = new Scene();
    writeFileSync(scene.dir.join("out"), "in the way");
    const set = testCandidate({ a: "1" });
    const failed = await scene.publisher.publish(set, signal);
    ok(failed.result === "failed");
    match(failed.reason, /EEXIST|ENOTDIR/);
    rmSync(scene.dir.join("out"));
    equal((await scene.publisher.publish(set, signal)).result, "published");
    equal(scene.judged.length, 1);
  });

  it("does not keep for the next life what it could not show", async () => {
    using scene = new Scene();
    await scene.publisher.publish(testCandidate({ a: "1" }), signal);
    const unwritable = testCandidate({ a: "2", ["x".repeat(300)]: "2" });
    equal((await scene.publisher.publish(unwritable, signal)).result, "failed");
    rmSync(scene.dir.join("out"), { recursive: true });
    scene.nextLife().restore();
    equal(scene.live("a"), "1");
  });

  it("keeps what is live once there is room for that, and not what was wanted in between", async () => {
    using scene = new Scene();
    const one = testCandidate({ a: "1" });
    await scene.publisher.publish(one, signal);
    scene.breaksOutput = true;
    scene.fullAfter = 1;
    equal((await scene.publisher.publish(testCandidate({ a: "2" }), signal)).result, "failed");
    scene.breaksOutput = false;
    scene.fullAfter = Infinity;
    equal((await scene.publisher.publish(one, signal)).result, "unchanged");
    scene.nextLife().restore();
    equal(scene.live("a"), "1");
  });

  it("keeps its state to itself", async () => {
    using scene = new Scene();
    await scene.publisher.publish(testCandidate({ a: "1" }), signal);
    const state = scene.dir.join("state");
    equal(statSync(state).mode & 0o777, 0o700);
    for (const name of readdirSync(state)) equal(statSync(`${state}/${name}`).mode & 0o777, 0o600);
  });
});
