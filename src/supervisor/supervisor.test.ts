import assert from "node:assert/strict";
import { test } from "node:test";
import { World } from "./testing/world.ts";

test("Supervisor starts nothing before every source is known, and then at once", async () => {
  const world = new World();
  await world.clock.step(60_000);
  assert.equal(world.children.length, 0);
  world.source.set({ A: "1" });
  await world.clock.step(0);
  assert.equal(world.last.env["A"], "1");
  assert.equal(world.last.env["PATH"], "/bin");
  await world.end();
});

test("Supervisor says again and again what it waits for, until it can start", async () => {
  const world = new World();
  world.source.problem = "/etc/env is not there";
  await world.clock.step(33_000);
  const reminders = world.logger.records.filter(({ level }) => level === "warn");
  assert.deepEqual(
    reminders.map(({ fields }) => fields["missing"]),
    [["/etc/env is not there"], ["/etc/env is not there"]],
  );
  world.source.set({ A: "1" });
  await world.clock.step(120_000);
  assert.equal(world.messages("warn").length, 2);
  await world.end();
});

test("Supervisor ends with 1 when nothing could be started in time", async () => {
  const world = new World({ options: { startTimeoutMs: 10_000 } });
  await world.clock.step(10_000);
  assert.equal(await world.code, 1);
  assert.deepEqual(world.messages("error"), ["nothing could be started in time, so run ends"]);
  assert.equal(world.children.length, 0);
});

test("Supervisor does not end a program that was started in time", async () => {
  const world = new World({ options: { startTimeoutMs: 10_000 } });
  await world.settle();
  await world.clock.step(60_000);
  assert.equal(world.last.status, undefined);
  assert.deepEqual(world.messages("error"), []);
  await world.end();
});

test("Supervisor makes one restart of a burst of changes", async () => {
  const world = new World();
  await world.settle();
  for (const A of ["2", "3", "4"]) {
    world.source.set({ A });
    await world.clock.step(50);
  }
  await world.clock.step(100);
  assert.deepEqual(world.values, ["1", "4"]);
  await world.end();
});

test("Supervisor does not wait for ever until a source is quiet", async () => {
  const world = new World();
  await world.settle();
  for (let i = 0; i < 25; i++) {
    world.source.set({ A: `x${i}` });
    await world.clock.step(50);
  }
  assert.equal(world.children.length, 2);
  await world.end();
});

test("Supervisor does nothing about what came and went", async () => {
  const world = new World();
  await world.settle();
  world.source.set({ A: "2" });
  world.source.set({ A: "1" });
  await world.clock.step(5000);
  assert.equal(world.children.length, 1);
  await world.end();
});

test("Supervisor gives back what was inherited when a variable goes away", async () => {
  const world = new World();
  await world.settle();
  world.source.set({});
  await world.clock.step(200);
  assert.equal(world.last.env["A"], "inherited");
  await world.end();
});

test("Supervisor goes back to the last good variables when the program ends on trial", async () => {
  const world = new World();
  await world.settle();
  world.source.set({ A: "bad" });
  await world.clock.step(200);
  world.last.exit(1);
  await world.clock.step(0);
  assert.deepEqual(world.values, ["1", "bad", "1"]);
  const errors = world.logger.records.filter(({ level }) => level === "error");
  assert.deepEqual(
    errors.map(({ message }) => message),
    ["version refused, the last good one stays"],
  );
  await world.clock.step(60_000);
  assert.equal(world.children.length, 3);
  await world.end();
});

test("Supervisor tries a refused version again after another one was wanted", async () => {
  const world = new World();
  await world.settle();
  for (const A of ["bad", "1", "bad"]) {
    world.source.set({ A });
    await world.clock.step(200);
    if (A === "bad") world.last.exit(1);
    await world.clock.step(2000);
  }
  assert.deepEqual(world.values, ["1", "bad", "1", "bad", "1"]);
  await world.end();
});

test("Supervisor goes back when the program cannot even be started", async () => {
  const world = new World();
  await world.settle();
  world.startFailure = Object.assign(new Error("too long"), { code: "E2BIG" });
  world.source.set({ A: "2" });
  await world.clock.step(100);
  assert.equal(await world.code, 126, "and ends as a shell would if that does not work either");
});

test("Supervisor ends with the code of a program that ends by itself", async () => {
  const world = new World();
  await world.settle();
  world.last.exit(7);
  assert.equal(await world.code, 7);
});

test("Supervisor starts a program again that ends by itself, with growing delays", async () => {
  const world = new World({ options: { revives: true } });
  await world.settle();
  for (const [delayMs, count] of [
    [500, 2],
    [1000, 3],
    [2000, 4],
  ] as const) {
    world.last.exit(1);
    await world.clock.step(delayMs * 0.7);
    assert.equal(world.children.length, count - 1);
    await world.clock.step(delayMs * 0.3);
    assert.equal(world.children.length, count);
  }
  await world.end();
});

test("Supervisor passes signals on, and ends when it is asked to before anything was started", async () => {
  const world = new World();
  await world.settle();
  world.supervisor.forward("SIGUSR1");
  assert.deepEqual(world.last.got, ["SIGUSR1"]);
  await world.end();
  const waiting = new World();
  waiting.supervisor.forward("SIGINT");
  assert.equal(await waiting.code, 130);
});

test("Supervisor leaves a program alone for a while after a signal that may end it", async () => {
  const world = new World();
  await world.settle();
  world.supervisor.forward("SIGQUIT");
  world.source.set({ A: "2" });
  await world.clock.step(9000);
  assert.equal(world.children.length, 1);
  await world.clock.step(1000);
  assert.equal(world.last.env["A"], "2");
  await world.end();
});
