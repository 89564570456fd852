import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { aborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { CaptureLogger } from "../base/testing/capture-logger.ts";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { seededRandom } from "../base/testing/seeded-random.ts";
import { ApiClient } from "../client/api-client.ts";
import { LeaderElection, OverdueError } from "./leader-election.ts";
import { type LeasePath, LeaseServer } from "./testing/lease-server.ts";

const SEED = 7;

/** Several candidates for one lease, and the promise that they keep: never two at work. */
class Election {
  readonly clock = new FakeClock();
  readonly server = new LeaseServer(this.clock);
  readonly atWork: string[] = [];
  readonly history: string[] = [];
  readonly #random = seededRandom(SEED);

  /** `stopMs`: how long the work takes to end. `clock`: what time it is for this one. */
  candidate(identity: string, of: { stopMs?: number; clock?: Clock } = {}): Candidate {
    const { stopMs = 0, clock = this.clock } = of;
    const path = this.server.path();
    const logger = new CaptureLogger();
    const connection = { server: "https://fake", isInsecure: false, namespace: "default" };
    const base = { clock, random: this.#random };
    const client = new ApiClient({ connection, timeoutMs: 60_000, transport: path, ...base });
    const election = new LeaderElection({ client, name: "work", identity, logger, ...base });
    const stop = new AbortController();
    const crash = new AbortController();
    const lead = async (signal: AbortSignal): Promise<void> => {
      this.atWork.push(identity);
      this.history.push(`${identity} begins`);
      assert.deepEqual(this.atWork, [identity], "two lead");
      await Promise.race([aborted(signal), aborted(crash.signal)]);
      if (!crash.signal.aborted && stopMs > 0) await this.clock.sleep(stopMs);
      this.atWork.splice(this.atWork.indexOf(identity), 1);
      this.history.push(`${identity} ends`);
      // The dead do not give back.
      if (crash.signal.aborted) await new Promise(() => undefined);
    };
    const run = election.run(stop.signal, lead);
    run.catch(() => undefined);
    return {
      path,
      logger,
      run,
      stop: () => stop.abort(),
      die: async () => {
        path.way = "hangs";
        crash.abort();
        await this.clock.step(0);
      },
    };
  }
}

interface Candidate {
  readonly path: LeasePath;
  readonly logger: CaptureLogger;
  readonly run: Promise<void>;
  stop(): void;
  die(): Promise<void>;
}

describe("LeaderElection", () => {
  it("lets the first one lead, which writes client-go's record and renews it every two seconds", async () => {
    const all = new Election();
    all.candidate("a");
    await all.clock.step(0);
    assert.deepEqual(all.atWork, ["a"]);
    assert.deepEqual(all.server.lease?.spec, {
      holderIdentity: "a",
      leaseDurationSeconds: 15,
      acquireTime: "2024-01-01T00:00:00.000000Z",
      renewTime: "2024-01-01T00:00:00.000000Z",
      leaseTransitions: 0,
    });

    await all.clock.step(4000);

    assert.deepEqual(
      all.server.written.map(({ spec }) => spec.renewTime?.slice(17, 19)),
      ["00", "02", "04"],
    );
    assert.equal(all.server.lease?.spec.acquireTime, "2024-01-01T00:00:00.000000Z");
  });

  it("hands over at once when the leader is told to stop, and counts the transition", async () => {
    const all = new Election();
    const a = all.candidate("a");
    await all.clock.step(0);
    all.candidate("b");
    await all.clock.step(500);

    a.stop();
    await all.clock.step(0);

    assert.deepEqual(all.history, ["a begins", "a ends", "b begins"]);
    assert.equal(all.server.lease?.spec.leaseTransitions, 1);
    await a.run;
  });

  it("hands over within the retry period where nothing can be watched", async () => {
    const all = new Election();
    const a = all.candidate("a");
    await all.clock.step(0);
    const b = all.candidate("b");
    b.path.way = "deaf";
    await all.clock.step(500);

    a.stop();
    await all.clock.step(4000);

    assert.deepEqual(all.atWork, ["b"]);
  });

  it("keeps the lease while the work of a leader that was told to stop goes on", async () => {
    const all = new Election();
    const a = all.candidate("a", { stopMs: 40_000 });
    await all.clock.step(0);
    all.candidate("b");

    a.stop();
    await all.clock.step(39_999);
    assert.deepEqual(all.atWork, ["a"]);
    await all.clock.step(1);

    assert.deepEqual(all.atWork, ["b"]);
  });

  it("lets another take over fifteen seconds after the last sign of a leader that died", async () => {
    const all = new Election();
    const a = all.candidate("a");
    await all.clock.step(0);
    all.candidate("b");
    all.candidate("c");
    await all.clock.step(4000);

    await a.die();
    await all.clock.step(14_999);
    assert.deepEqual(all.atWork, []);
    await all.clock.step(1);

    assert.equal(all.atWork.length, 1);
    assert.equal(all.server.lease?.spec.leaseTransitions, 1);
  });

  it("ends the work of a leader that is cut off before another one begins", async () => {
    const all = new Election();
    const a = all.candidate("a", { stopMs: 4000 });
    await all.clock.step(0);
    all.candidate("b");
    await all.clock.step(1000);

    a.path.way = "cut";
    await all.clock.step(30_000);

    assert.deepEqual(all.history, ["a begins", "a ends", "b begins"]);
  });

  for (const way of ["hangs", "answers lost", 3000, 9000, 14_000] as const) {
    it(`is safe when requests of the leader fare so: ${way}`, async () => {
      const all = new Election();
      const a = all.candidate("a", { stopMs: 4000 });
      await all.clock.step(0);
      all.candidate("b");
      await all.clock.step(1000);

      a.path.way = way;
      await all.clock.step(60_000);
      a.path.way = "good";
      await all.clock.step(60_000);

      assert.deepEqual(all.history.slice(0, 2), ["a begins", "a ends"]);
      assert.equal(all.atWork.length, 1);
    });
  }

  it("leads on when its renewals were written and only the answers were lost for a while", async () => {
    const all = new Election();
    const a = all.candidate("a");
    await all.clock.step(0);
    all.candidate("b");

    a.path.way = "answers lost";
    await all.clock.step(6000);
    a.path.way = "good";
    await all.clock.step(60_000);

    assert.deepEqual(all.history, ["a begins"]);
  });

  it("leads on after an outage of the server that is shorter than the renew deadline", async () => {
    const all = new Election();
    const both = [all.candidate("a"), all.candidate("b")];
    await all.clock.step(0);
    const [leader] = all.atWork;

    for (const one of both) one.path.way = "cut";
    await all.clock.step(7000);
    for (const one of both) one.path.way = "good";
    await all.clock.step(60_000);

    assert.deepEqual(all.atWork, [leader]);
    assert.equal(all.history.length, 1);
  });

  it("has one leader again after a long outage of the server", async () => {
    const all = new Election();
    const three = ["a", "b", "c"].map((identity) => all.candidate(identity));
    await all.clock.step(0);

    for (const one of three) one.path.way = "hangs";
    await all.clock.step(120_000);
    assert.deepEqual(all.atWork, []);
    for (const one of three) one.path.way = "good";
    await all.clock.step(20_000);

    assert.equal(all.atWork.length, 1);
  });

  it("stops at once when somebody has taken the lease away", async () => {
    const all = new Election();
    all.candidate("a");
    await all.clock.step(0);
    const { lease } = all.server;
    assert.ok(lease);

    all.server.put({ ...lease, spec: { ...lease.spec, holderIdentity: "thief" } });
    await all.clock.step(0);

    assert.deepEqual(all.history, ["a begins", "a ends"]);
  });

  it("does not give a lease that was deleted to another while its holder may not know", async () => {
    const all = new Election();
    const a = all.candidate("a");
    await all.clock.step(0);
    all.candidate("b");
    await all.clock.step(500);
    a.path.way = "deaf";

    all.server.remove();
    await all.clock.step(60_000);

    assert.deepEqual(all.history, ["a begins"]);
    assert.equal(all.server.lease?.spec.holderIdentity, "a");
  });

  it("does not care what time it is for others, nor that clocks are set", async () => {
    const all = new Election();
    const jumping = (offset: () => number): Clock => ({
      now: () => all.clock.now() + offset(),
      monotonicMs: () => all.clock.monotonicMs(),
      sleep: (ms, signal) => all.clock.sleep(ms, signal),
      schedule: (ms, callback) => all.clock.schedule(ms, callback),
    });
    let jumpMs = -86_400_000;
    all.candidate("a", { clock: jumping(() => jumpMs) });
    await all.clock.step(0);
    all.candidate("b", { clock: jumping(() => 86_400_000) });
    await all.clock.step(60_000);

    jumpMs = 30 * 86_400_000;
    await all.clock.step(60_000);

    assert.deepEqual(all.history, ["a begins"]);
  });

  it("says that the work is overdue when it goes on although the lease may be another's", async () => {
    const all = new Election();
    const a = all.candidate("a", { stopMs: 1_000_000 });
    await all.clock.step(0);

    a.path.way = "hangs";
    await all.clock.step(14_999);
    assert.deepEqual(all.atWork, ["a"]);
    await all.clock.step(1);

    await assert.rejects(a.run, OverdueError);
  });

  it("releases the lease and fails when the work fails", async () => {
    const all = new Election();
    const path = all.server.path();
    const { clock } = all;
    const connection = { server: "https://fake", isInsecure: false, namespace: "default" };
    const base = { clock, random: seededRandom(1) };
    const client = new ApiClient({ connection, timeoutMs: 60_000, transport: path, ...base });
    const logger = new CaptureLogger();
    const election = new LeaderElection({ client, name: "work", identity: "a", logger, ...base });

    const run = election.run(new AbortController().signal, () => Promise.reject(new Error("no")));

    await assert.rejects(run, /^Error: no$/);
    assert.equal(all.server.lease?.spec.holderIdentity, "");
  });

  it("keeps its promise whatever happens to the ways, and has a leader when they are good again", async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const random = seededRandom(seed);
      const all = new Election();
      const candidates = ["a", "b", "c"].map((identity) =>
        all.candidate(identity, { stopMs: random.uint32() % 4500 }),
      );
      const ways = ["good", "good", "deaf", "cut", "answers lost", "hangs", 500, 12_000] as const;
      await all.clock.step(1000);
      for (let round = 0; round < 60; round++) {
        const one = candidates[random.uint32() % 3];
        if (one !== undefined) one.path.way = ways[random.uint32() % ways.length] ?? "good";
        if (random.uint32() % 20 === 0) all.server.remove();
        await all.clock.step(random.uint32() % 6000);
        assert.ok(all.atWork.length <= 1, `seed ${seed}: ${all.atWork.join()} lead`);
      }
      for (const one of candidates) one.path.way = "good";
      await all.clock.step(60_000);
      assert.equal(all.atWork.length, 1, `seed ${seed}: nobody leads`);
      for (const one of candidates) one.stop();
      await all.clock.step(10_000);
      await Promise.all(candidates.map(({ run }) => run));
    }
  });
});
