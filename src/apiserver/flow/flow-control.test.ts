import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { StatusError } from "../../api/status-error.ts";
import { createMetrics } from "../../base/metrics.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { ClientGoneError } from "../http/read-body.ts";
import { type Ask, FlowControl, type Seat } from "./flow-control.ts";
import type { FlowSettings, LevelSettings, LimitedLevel } from "./priority-level.ts";

const names: readonly LimitedLevel[] = [
  "node-heartbeat",
  "system",
  "node",
  "workload-read",
  "workload-write",
  "workload-list",
  "catch-all",
];

const none: LevelSettings = {
  seats: 0,
  lendable: 0,
  maxSeats: 0,
  maxWaitingOfFlow: 2000,
  maxWaiting: 5000,
  ignoresTurns: false,
};

/** Levels with seats; the others have none. */
function settings(given: Partial<Record<LimitedLevel, Partial<LevelSettings>>>): FlowSettings {
  const all = names.map((name) => [name, { ...none, ...given[name] }] as const);
  return Object.fromEntries(all) as FlowSettings;
}

/** One who may leave. */
class Client {
  #listeners = new Set<() => void>();
  #isGone = false;

  readonly onGone: Ask["onGone"] = (callback) => {
    this.#listeners.add(callback);
    if (this.#isGone) queueMicrotask(() => this.leave());
    return () => void this.#listeners.delete(callback);
  };

  leave(): void {
    this.#isGone = true;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }
}

/** One who stays. */
const never: Ask["onGone"] = () => () => undefined;

class Bench {
  readonly clock = new FakeClock();
  readonly metrics = createMetrics();
  readonly control: FlowControl;
  /** In the order in which they got a seat. */
  readonly started: string[] = [];
  readonly refused = new Map<string, unknown>();
  readonly seats = new Map<string, Seat>();
  #onTurn: (() => void)[] = [];

  constructor(levels: FlowSettings) {
    const onNextTurn = (callback: () => void): void => void this.#onTurn.push(callback);
    this.control = new FlowControl({
      levels,
      clock: this.clock,
      metrics: this.metrics,
      onNextTurn,
    });
  }

  /** Asks in the name of `id`. Whether it went at once. */
  ask(id: string, given: Partial<Ask> & Pick<Ask, "level">): boolean {
    const started = (seat: Seat): void => {
      assert.ok(!this.seats.has(id), `${id} got a second seat`);
      this.started.push(id);
      this.seats.set(id, seat);
    };
    const refused = (err: unknown): void => void this.refused.set(id, err);
    try {
      const got = this.control.acquire({ flow: "f", width: 1, onGone: never, ...given });
      if (!(got instanceof Promise)) {
        started(got);
        return true;
      }
      got.then(started, refused);
    } catch (err) {
      refused(err);
    }
    return false;
  }

  end(id: string): void {
    this.seats.get(id)?.release();
  }

  turn(): void {
    for (const callback of this.#onTurn.splice(0)) callback();
  }

  /** Promises settle. */
  async settle(): Promise<void> {
    await this.clock.step(0);
  }

  /** Until nothing starts any more: turns pass. */
  async rest(): Promise<void> {
    for (let before = -1; before !== this.started.length; ) {
      before = this.started.length;
      this.turn();
      await this.settle();
    }
  }
}

const two = { seats: 2, lendable: 0, maxSeats: 2 };

function isTooMany(err: unknown): boolean {
  return err instanceof StatusError && err.code === 429 && err.details?.retryAfterSeconds === 1;
}

describe("FlowControl", () => {
  it("gives a free seat at once, and the next one when a seat is given back", async () => {
    const bench = new Bench(settings({ "workload-read": { ...two, maxSeats: 4 } }));
    const level = "workload-read";
    assert.equal(bench.ask("a", { level, flow: "1" }), true);
    assert.equal(bench.ask("b", { level, flow: "2" }), true);
    assert.equal(bench.ask("c", { level, flow: "3" }), false);
    await bench.rest();
    assert.deepEqual(bench.started, ["a", "b"]);
    bench.end("a");
    await bench.settle();
    assert.deepEqual(bench.started, ["a", "b", "c"]);
  });

  it("counts a seat that is given back twice once", async () => {
    const bench = new Bench(settings({ "workload-read": two }));
    for (const id of ["a", "b", "c", "d"]) bench.ask(id, { level: "workload-read", flow: id });
    bench.end("a");
    bench.end("a");
    await bench.settle();
    assert.deepEqual(bench.started, ["a", "b", "c"]);
  });

  it("gives the seat back when the handler throws", () => {
    const bench = new Bench(settings({ "workload-read": two }));
    const request = (): void => {
      using _seat = bench.control.acquire({
        level: "workload-read",
        flow: "f",
        width: 1,
        onGone: never,
      }) as Seat;
      throw new Error("planted");
    };
    for (let i = 0; i < 5; i++) assert.throws(request, /planted/);
    assert.equal(bench.control.state.find(({ name }) => name === "workload-read")?.seats, 0);
  });

  it("delays the first request of a flow by one turn, however many of another flow wait", async () => {
    const bench = new Bench(settings({ "workload-write": { seats: 4, maxSeats: 4 } }));
    const level = "workload-write";
    for (const id of ["a", "b", "c", "d"]) bench.ask(id, { level, flow: id });
    for (let i = 0; i < 1000; i++) bench.ask(`flood${i}`, { level, flow: "flood" });
    bench.ask("kubectl", { level, flow: "kubectl" });
    for (const id of ["a", "b", "c"]) {
      bench.end(id);
      await bench.settle();
    }
    assert.deepEqual(bench.started, ["a", "b", "c", "d", "flood0", "kubectl", "flood1"]);
  });

  it("leaves half of a level to others when one flow holds its seats for long", () => {
    const bench = new Bench(settings({ "workload-write": { seats: 8, maxSeats: 8 } }));
    const level = "workload-write";
    for (let i = 0; i < 8; i++) bench.ask(`slow${i}`, { level, flow: "slow uploads" });
    assert.equal(bench.started.length, 4);
    assert.equal(bench.ask("other", { level, flow: "other" }), true);
  });

  it("starts the more urgent level first, whoever came first", async () => {
    const borrower = { maxSeats: 3 };
    const bench = new Bench(
      settings({
        node: { seats: 3, lendable: 3 },
        system: borrower,
        "workload-read": borrower,
        "catch-all": borrower,
      }),
    );
    for (const id of ["a", "b", "c", "d"]) bench.ask(id, { level: "catch-all", flow: id });
    bench.ask("reader", { level: "workload-read" });
    bench.ask("controller", { level: "system" });
    for (const id of ["a", "b", "c"]) {
      bench.end(id);
      await bench.settle();
    }
    assert.deepEqual(bench.started, ["a", "b", "c", "controller", "reader", "d"]);
  });

  it("borrows idle seats, all but the reserved ones, and gives them back before it borrows more", async () => {
    const bench = new Bench(
      settings({
        node: { seats: 4, lendable: 3, maxSeats: 4 },
        "workload-read": { seats: 4, maxSeats: 16 },
      }),
    );
    for (let i = 0; i < 10; i++) bench.ask(`w${i}`, { level: "workload-read", flow: `${i}` });
    assert.equal(bench.started.length, 7);
    assert.equal(bench.ask("n0", { level: "node", flow: "0" }), true);
    assert.equal(bench.ask("n1", { level: "node", flow: "1" }), false);
    bench.end("w0");
    await bench.settle();
    assert.deepEqual(bench.started.slice(7), ["n0", "n1"]);
    bench.end("w1");
    await bench.settle();
    assert.deepEqual(bench.started.slice(9), ["w7"]);
  });

  it("lets nobody borrow what a wide request of the owner waits for", async () => {
    const bench = new Bench(
      settings({
        node: { seats: 4, lendable: 4, maxSeats: 4 },
        "workload-read": { seats: 2, maxSeats: 8 },
      }),
    );
    const level = "workload-read";
    for (let i = 0; i < 6; i++) bench.ask(`w${i}`, { level, flow: `${i}` });
    bench.ask("wide", { level: "node", width: 2 });
    bench.end("w0");
    assert.equal(bench.ask("late", { level, flow: "late" }), false);
    bench.end("w1");
    await bench.settle();
    assert.deepEqual(bench.started.slice(6), ["wide"]);
  });

  it("waits with a wide request until all of it fits, and lets nobody of its level pass", async () => {
    const bench = new Bench(settings({ "workload-list": { seats: 4, maxSeats: 4 } }));
    const level = "workload-list";
    for (const id of ["a", "b", "c"]) bench.ask(id, { level, flow: id });
    bench.ask("wide", { level, flow: "wide", width: 2 });
    bench.ask("late", { level, flow: "late" });
    assert.deepEqual(bench.started, ["a", "b", "c"]);
    bench.end("a");
    await bench.settle();
    assert.deepEqual(bench.started, ["a", "b", "c", "wide"]);
  });

  it("refuses with 429 when a line is full, after the time that Retry-After says", async () => {
    const full = { seats: 1, maxSeats: 1, maxWaitingOfFlow: 2, maxWaiting: 3 };
    const bench = new Bench(settings({ "workload-read": full }));
    const level = "workload-read";
    for (const id of ["a", "b", "c", "d"]) bench.ask(id, { level, flow: "1" });
    bench.ask("e", { level, flow: "2" });
    bench.ask("f", { level, flow: "3" });
    await bench.clock.step(999);
    assert.deepEqual([...bench.refused.keys()], []);
    await bench.clock.step(1001);
    assert.deepEqual([...bench.refused.keys()], ["d", "f"]);
    assert.ok([...bench.refused.values()].every(isTooMany));
    const text = await bench.metrics.text();
    assert.match(text, /rejected_requests_total\{[^}]*reason="queue-full"\} 2/);
  });

  it("holds back so many refusals, and gives the others at once", async () => {
    const full = { seats: 1, maxSeats: 1, maxWaiting: 0 };
    const bench = new Bench(settings({ "workload-read": full }));
    for (let i = 0; i < 4100; i++) bench.ask(`${i}`, { level: "workload-read" });
    await bench.settle();
    assert.deepEqual([...bench.refused.keys()], ["4097", "4098", "4099"]);
    assert.ok([...bench.refused.values()].every(isTooMany));
  });

  it("forgets a refusal whose client has left", async () => {
    const full = { seats: 1, maxSeats: 1, maxWaiting: 0 };
    const bench = new Bench(settings({ "workload-read": full }));
    const client = new Client();
    bench.ask("holder", { level: "workload-read" });
    bench.ask("gone", { level: "workload-read", onGone: client.onGone });
    client.leave();
    await bench.settle();
    assert.ok(bench.refused.get("gone") instanceof ClientGoneError);
    assert.equal(bench.clock.waiting, 0);
  });

  it("refuses after a quarter of the time that the request has, at most 15 s", async () => {
    const bench = new Bench(settings({ "workload-read": { seats: 1, maxSeats: 1 } }));
    const level = "workload-read";
    bench.ask("holder", { level });
    bench.ask("short", { level, timeoutMs: 4000 });
    bench.ask("plain", { level });
    bench.ask("long", { level, timeoutMs: 3_600_000 });
    await bench.clock.step(999);
    assert.deepEqual([...bench.refused.keys()], []);
    await bench.clock.step(1);
    assert.deepEqual([...bench.refused.keys()], ["short"]);
    await bench.clock.step(14_000);
    assert.deepEqual([...bench.refused.keys()], ["short", "plain", "long"]);
    assert.ok([...bench.refused.values()].every(isTooMany));
    assert.equal(bench.clock.waiting, 0);
  });

  it("forgets a request whose client left while it waited", async () => {
    const bench = new Bench(settings({ "workload-read": { seats: 1, maxSeats: 1 } }));
    const level = "workload-read";
    const client = new Client();
    bench.ask("holder", { level });
    bench.ask("gone", { level, onGone: client.onGone });
    bench.ask("next", { level });
    client.leave();
    await bench.settle();
    assert.ok(bench.refused.get("gone") instanceof ClientGoneError);
    bench.end("holder");
    await bench.settle();
    assert.deepEqual(bench.started, ["holder", "next"]);
    assert.equal(bench.clock.waiting, 0);
  });

  it("does not wait for a client that has left before", async () => {
    const bench = new Bench(settings({ "workload-read": { seats: 1, maxSeats: 1 } }));
    const client = new Client();
    client.leave();
    bench.ask("holder", { level: "workload-read" });
    bench.ask("gone", { level: "workload-read", onGone: client.onGone });
    await bench.settle();
    assert.ok(bench.refused.get("gone") instanceof ClientGoneError);
    assert.equal(bench.control.state.find(({ name }) => name === "workload-read")?.waiting, 0);
  });

  it("starts so much in one turn of the event loop, and heartbeats besides", async () => {
    const many = { seats: 500, maxSeats: 500 };
    const bench = new Bench(
      settings({ "node-heartbeat": { ...many, ignoresTurns: true }, "workload-read": many }),
    );
    const level = "workload-read";
    for (let i = 0; i < 100; i++) {
      bench.ask(`r${i}`, { level, flow: `${i}` });
      bench.end(`r${i}`);
    }
    assert.equal(bench.started.length, 16);
    assert.equal(bench.ask("heartbeat", { level: "node-heartbeat" }), true);
    bench.turn();
    await bench.settle();
    assert.equal(bench.started.length, 33);
    await bench.rest();
    assert.equal(bench.started.length, 101);
  });

  it("starts a little of every level in each turn, however much a more urgent one has", async () => {
    const many = { seats: 500, maxSeats: 500 };
    const bench = new Bench(settings({ system: many, "catch-all": { seats: 8, maxSeats: 8 } }));
    for (let i = 0; i < 500; i++) bench.ask(`s${i}`, { level: "system", flow: `${i}` });
    assert.equal(bench.ask("anybody", { level: "catch-all" }), true);
  });

  it("lends while a level waits for its turn only, with seats to spare", async () => {
    const bench = new Bench(
      settings({
        "workload-read": { seats: 100, lendable: 50, maxSeats: 100 },
        "workload-list": { seats: 2, lendable: 0, maxSeats: 20 },
      }),
    );
    for (let i = 0; i < 50; i++) bench.ask(`read ${i}`, { level: "workload-read" });
    assert.ok(bench.started.length < 50, "the turn is not over");
    bench.ask("one", { level: "workload-list", width: 2, flow: "a" });
    bench.turn();
    bench.ask("two", { level: "workload-list", width: 2, flow: "b" });
    await bench.settle();
    assert.ok(bench.started.includes("two"), "nothing was lent");
  });

  it("lets a flow wait while its client has not taken large answers, and nobody else", async () => {
    const bench = new Bench(
      settings({ "workload-list": { seats: 40, lendable: 0, maxSeats: 40 } }),
    );
    const level = "workload-list";
    const clients = Array.from({ length: 20 }, () => new Client());
    const list = (id: string, given: Partial<Ask>): void =>
      void bench.ask(id, { level, width: 10, isBulky: true, ...given });
    for (const [i, { onGone }] of clients.entries()) list(`slow ${i}`, { flow: "slow", onGone });
    for (let round = 0; round < 20; round++) {
      await bench.rest();
      for (const id of bench.started) bench.end(id);
    }
    assert.equal(bench.started.length, 12);
    list("other", { flow: "other" });
    await bench.rest();
    assert.equal(bench.started.at(-1), "other");
    clients[0]?.leave();
    await bench.rest();
    assert.ok(bench.started.includes("slow 12"), "it waits although an answer was taken");
    assert.ok(!bench.started.includes("slow 13"), "it got more than was taken");
    await bench.clock.step(1000);
    assert.ok(bench.started.includes("slow 13"), "it waits for ever for a client that was killed");
  });

  it("never counts exempt requests", () => {
    const bench = new Bench(settings({}));
    for (let i = 0; i < 100; i++) assert.equal(bench.ask(`${i}`, { level: "exempt" }), true);
  });

  it("shows what executes, waits and was dispatched, by level", async () => {
    const bench = new Bench(settings({ "workload-read": { seats: 1, maxSeats: 1 } }));
    for (const id of ["a", "b"]) bench.ask(id, { level: "workload-read", flow: id });
    bench.control.publishMetrics();
    const text = await bench.metrics.text();
    const of = 'priority_level="workload-read"';
    assert.ok(text.includes(`apiserver_flowcontrol_current_executing_requests{${of}} 1`));
    assert.ok(text.includes(`apiserver_flowcontrol_current_inqueue_requests{${of}} 1`));
    assert.ok(text.includes(`apiserver_flowcontrol_dispatched_requests_total{${of}} 1`));
  });
});

type Step =
  | { readonly do: "ask"; level: LimitedLevel; flow: string; width: number }
  | { readonly do: "end" | "leave"; readonly which: number }
  | { readonly do: "turn" }
  | { readonly do: "pass"; readonly ms: number };

const level = fc.constantFrom<LimitedLevel>("node-heartbeat", "system", "workload-list");
const flow = fc.constantFrom("a", "b", "c");
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("ask" as const),
      level,
      flow,
      width: fc.integer({ min: 1, max: 12 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("end" as const, "leave" as const),
      which: fc.nat(),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: "turn" as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("pass" as const),
      ms: fc.constantFrom(1, 4000, 15_000),
    }),
  },
);

const tight = settings({
  "node-heartbeat": { seats: 4, lendable: 2, maxSeats: 8, maxWaiting: 9, ignoresTurns: true },
  system: { seats: 6, lendable: 6, maxSeats: 12, maxWaitingOfFlow: 3, maxWaiting: 7 },
  "workload-list": { seats: 5, lendable: 3, maxSeats: 13, maxWaitingOfFlow: 4 },
});

class Campaign extends Bench {
  readonly asked: string[] = [];
  readonly clients = new Map<string, Client>();
  readonly ended = new Set<string>();

  constructor() {
    super(tight);
  }

  async do(given: Step): Promise<void> {
    switch (given.do) {
      case "ask": {
        const id = `${this.asked.length}`;
        const client = new Client();
        this.clients.set(id, client);
        this.asked.push(id);
        this.ask(id, { ...given, onGone: client.onGone });
        break;
      }
      case "end":
        this.finish(this.started.filter((id) => !this.ended.has(id)).at(given.which % 7));
        break;
      case "leave":
        this.clients.get(this.asked[given.which % (this.asked.length || 1)] ?? "")?.leave();
        break;
      case "turn":
        this.turn();
        break;
      case "pass":
        await this.clock.step(given.ms);
    }
    await this.settle();
  }

  finish(id: string | undefined): void {
    if (id === undefined) return;
    this.ended.add(id);
    this.end(id);
  }

  check(): void {
    const used = this.control.state.reduce((sum, { seats }) => sum + seats, 0);
    assert.ok(used <= 15, `${used} seats are in use, of 15`);
    for (const { name, seats, executing, waiting } of this.control.state) {
      assert.ok(seats <= tight[name].maxSeats, `${name} has ${seats} seats`);
      assert.ok(waiting <= tight[name].maxWaiting);
      assert.ok(executing >= 0 && seats >= executing);
    }
    for (const id of this.started)
      assert.ok(!this.refused.has(id), `${id} was started and refused`);
  }
}

describe("FlowControl, whatever happens", () => {
  it("never gives more seats than there are, and each request starts once or is refused", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const campaign = new Campaign();
        for (const each of steps) {
          await campaign.do(each);
          campaign.check();
        }
        for (let round = 0; round < 200; round++) {
          for (const id of campaign.started) campaign.finish(id);
          campaign.turn();
          await campaign.settle();
        }
        await campaign.clock.step(2000);
        const settled = new Set([...campaign.started, ...campaign.refused.keys()]);
        assert.deepEqual([...settled].toSorted(), campaign.asked.toSorted());
        assert.equal(campaign.started.length + campaign.refused.size, campaign.asked.length);
        for (const { name, seats, waiting, flows } of campaign.control.state) {
          assert.deepEqual(
            { name, seats, waiting, flows },
            { name, seats: 0, waiting: 0, flows: 0 },
          );
        }
        assert.equal(campaign.clock.waiting, 0);
      }),
      { numRuns: 100 },
    );
  });
});
