import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { aborted } from "./abort.ts";
import { describe as describeError } from "./errors.ts";
import { type Part, PartError, RunGroup } from "./run-group.ts";
import { FakeClock } from "./testing/fake-clock.ts";

/** A part that notes when it starts and stops, and takes 10 ms to stop. */
function part(name: string, { events, clock }: { events: string[]; clock: FakeClock }): Part {
  return {
    name,
    async run(signal) {
      events.push(`start ${name}`);
      await aborted(signal);
      await clock.sleep(10);
      events.push(`stop ${name}`);
    },
  };
}

function setup(): { clock: FakeClock; events: string[]; controller: AbortController } {
  return { clock: new FakeClock(), events: [], controller: new AbortController() };
}

async function rejection(running: Promise<void>): Promise<PartError> {
  const failure = await running.then(
    () => undefined,
    (err: unknown) => err,
  );
  assert.ok(failure instanceof PartError, describeError(failure));
  return failure;
}

describe("RunGroup", () => {
  it("starts its parts in order and stops them one by one in reverse", async () => {
    const { clock, events, controller } = setup();
    const parts = ["a", "b", "c"].map((name) => part(name, { events, clock }));
    const running = new RunGroup({ parts, clock }).run(controller.signal);
    await clock.step(0);

    controller.abort();
    await clock.step(10);
    assert.deepEqual(events.slice(3), ["stop c"]);
    await clock.step(20);
    await running;

    assert.deepEqual(events, ["start a", "start b", "start c", "stop c", "stop b", "stop a"]);
  });

  it("starts a part only when the one before is ready", async () => {
    const { clock, events, controller } = setup();
    const ready = (): Promise<void> => clock.sleep(500);
    const parts = [
      { ...part("slow", { events, clock }), ready },
      { ...part("next", { events, clock }), ready: Promise.resolve() },
    ];
    const running = new RunGroup({ parts, clock }).run(controller.signal);

    await clock.step(499);
    assert.deepEqual(events, ["start slow"]);
    await clock.step(1);
    assert.deepEqual(events, ["start slow", "start next"]);

    controller.abort();
    await clock.step(20);
    await running;
  });

  it("does not start the rest when it is told to stop during the start", async () => {
    const { clock, events, controller } = setup();
    const never = new Promise<void>(() => undefined);
    const parts = [
      { ...part("stuck", { events, clock }), ready: never },
      part("next", { events, clock }),
    ];
    const running = new RunGroup({ parts, clock }).run(controller.signal);
    await clock.step(0);

    controller.abort();
    await clock.step(10);
    await running;

    assert.deepEqual(events, ["start stuck", "stop stuck"]);
  });

  it("starts nothing when its signal has aborted before", async () => {
    const { clock, events } = setup();

    await new RunGroup({ parts: [part("a", { events, clock })], clock }).run(AbortSignal.abort());

    assert.deepEqual(events, []);
  });

  it("stops all parts when one fails and rejects with that failure", async () => {
    const { clock, events, controller } = setup();
    const cause = new Error("address in use");
    const failing: Part = {
      name: "listener",
      run: () => clock.sleep(5).then(() => Promise.reject(cause)),
    };
    const parts = [part("a", { events, clock }), failing, part("c", { events, clock })];
    const running = rejection(new RunGroup({ parts, clock }).run(controller.signal));

    await clock.step(25);
    const failure = await running;

    assert.equal(failure.part, "listener");
    assert.equal(failure.cause, cause);
    assert.equal(describeError(failure), 'Part "listener" failed: address in use');
    assert.deepEqual(events, ["start a", "start c", "stop c", "stop a"]);
  });

  it("keeps the failures that follow the first one", async () => {
    const { clock, controller } = setup();
    const breaksOnStop: Part = {
      name: "flusher",
      run: (signal) => aborted(signal).then(() => Promise.reject(new Error("disk full"))),
    };
    const breaks: Part = { name: "loop", run: () => Promise.reject(new Error("bug")) };
    const group = new RunGroup({ parts: [breaksOnStop, breaks], clock });

    const failure = await rejection(group.run(controller.signal));

    assert.equal(failure.part, "loop");
    assert.deepEqual(failure.later.map(describeError), ['Part "flusher" failed: disk full']);
  });

  it("takes a part that does not become ready for failed, and stops it", async () => {
    const { clock, events, controller } = setup();
    const ready = Promise.reject(new Error("no route"));
    const parts = [{ ...part("cache", { events, clock }), ready }, part("b", { events, clock })];
    const running = rejection(new RunGroup({ parts, clock }).run(controller.signal));

    await clock.step(10);

    assert.equal(describeError(await running), 'Part "cache" did not become ready: no route');
    assert.deepEqual(events, ["start cache", "stop cache"]);
  });

  it("takes a part that ends without being told to for failed", async () => {
    const { clock, controller } = setup();
    const quitter: Part = { name: "watcher", run: () => Promise.resolve() };

    const failure = await rejection(
      new RunGroup({ parts: [quitter], clock }).run(controller.signal),
    );

    assert.equal(failure.message, 'Part "watcher" ended without being told to');
  });

  it("goes on when a part ends that may, and ends when all have", async () => {
    const { clock, controller } = setup();
    const once = (name: string, ms: number): Part => ({
      name,
      mayEnd: true,
      run: () => clock.sleep(ms),
    });
    let ended = false;
    const running = new RunGroup({ parts: [once("a", 10), once("b", 20)], clock })
      .run(controller.signal)
      .then(() => {
        ended = true;
      });

    await clock.step(10);
    assert.equal(ended, false);
    await clock.step(10);

    assert.equal(ended, true);
    await running;
  });

  it("does not take the cancellation of a part for a failure", async () => {
    const { clock, controller } = setup();
    const sleeper: Part = { name: "sleeper", run: (signal) => clock.sleep(1e6, signal) };
    const running = new RunGroup({ parts: [sleeper], clock }).run(controller.signal);
    await clock.step(0);

    controller.abort();

    await running;
    assert.equal(clock.waiting, 0);
  });

  it("names a part that does not stop in time and still stops the others", async () => {
    const { clock, events, controller } = setup();
    const stuck: Part = { name: "stuck", run: () => new Promise(() => undefined) };
    const group = new RunGroup({
      parts: [part("a", { events, clock }), stuck],
      clock,
      stopTimeoutMs: 1000,
    });
    const running = rejection(group.run(controller.signal));
    await clock.step(0);

    controller.abort();
    await clock.step(1010);

    assert.equal((await running).message, 'Part "stuck" did not stop within 1000 ms');
    assert.deepEqual(events, ["start a", "stop a"]);
    assert.equal(clock.waiting, 0);
  });

  it("leaves no listener on the signal when it is done", async () => {
    const { clock, controller } = setup();
    const once: Part = { name: "once", mayEnd: true, run: () => Promise.resolve() };

    await new RunGroup({ parts: [once], clock }).run(controller.signal);

    assert.deepEqual(getEventListeners(controller.signal, "abort"), []);
  });
});
