// What happens at the same time, and what goes wrong on the way.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../base/testing/fake-clock.ts";
import type { Word } from "./directory-words.ts";
import type { ChangeAction } from "./program.ts";
import { FakeCopies, withCopies } from "./testing/fake-copies.ts";
import { World } from "./testing/world.ts";

const always = { type: "tcp", host: "127.0.0.1", port: 1 } as const;

test("Supervisor passes TERM on to the new program while the old one is on its way out", async () => {
  const world = new World({ options: { overlaps: true } });
  await world.settle();
  world.last.isStubborn = true;
  world.source.set({ A: "2" });
  await world.clock.step(100);
  await world.clock.step(1000);
  const [old, next] = world.children;
  assert.deepEqual(old?.got, ["stop"], "the new one is ready");
  world.supervisor.forward("SIGTERM");
  assert.deepEqual(next?.got, ["SIGTERM"]);
  old?.exit(0);
  next?.exit(9);
  assert.equal(await world.code, 9);
});

test("Supervisor hands over in the end, though what is wanted changes faster than programs become ready", async () => {
  // Ready after a second; another version comes every half.
  const world = new World({ options: { overlaps: true } });
  await world.settle();
  for (let n = 0; n < 10; n++) {
    world.source.set({ A: `x${n}` });
    await world.clock.step(500);
  }
  const done = world.children.filter(({ got }) => got.includes("stop"));
  assert.ok(
    done.some(({ env }) => env["A"] === "1"),
    "the first one has gone",
  );
  await world.clock.step(3000);
  assert.equal(world.last.env["A"], "x9");
  assert.equal(world.children.filter(({ status }) => status === undefined).length, 1);
  await world.end();
});

for (const signal of ["SIGINT", "SIGQUIT", "SIGTERM"] as const) {
  test(`Supervisor ends with ${signal} that comes between two programs`, async () => {
    const world = new World();
    await world.settle();
    world.last.isStubborn = true;
    world.source.set({ A: "2" });
    await world.clock.step(100);
    assert.deepEqual(world.last.got, ["stop"]);
    world.supervisor.forward(signal, { reaches: true });
    world.last.exit(4);
    assert.equal(await world.code, 4);
    assert.equal(world.children.length, 1);
  });
}

test("Supervisor starts the newest version when that has changed while the old program took its time to end", async () => {
  const world = new World();
  await world.settle();
  world.last.isStubborn = true;
  world.source.set({ A: "2" });
  await world.clock.step(100);
  world.source.set({ A: "3" });
  await world.clock.step(100);
  world.last.exit(0);
  await world.clock.step(0);
  assert.deepEqual(world.values, ["1", "3"]);
  await world.end();
});

test("Supervisor takes a hang-up for the end of its terminal only if it has one", async () => {
  const world = new World({ options: { revives: true, hasTerminal: true } });
  await world.settle();
  world.supervisor.forward("SIGHUP");
  world.last.exit(129);
  assert.equal(await world.code, 129);
  const other = new World({ options: { revives: true } });
  await other.settle();
  other.supervisor.forward("SIGHUP");
  other.last.exit(129);
  await other.clock.step(500);
  assert.equal(other.children.length, 2);
  await other.end();
});

const tell: { readonly onChange: ChangeAction } = {
  onChange: { type: "exec", argv: ["/no/such/command"] },
};

test("Supervisor tells the program of what it had when telling it of something else has failed", async () => {
  const copies = new FakeCopies();
  const world = new World({ program: { ...tell, ...withCopies(copies) } });
  await world.settle();
  const failures = (): number =>
    world.messages("warn").filter((one) => one.includes("could not be told")).length;
  world.files.set({ conf: "2" });
  await world.clock.step(100);
  await world.until(() => failures() === 1);
  world.files.set({ conf: "1" });
  await world.clock.step(100);
  await world.until(() => failures() === 2);
  assert.deepEqual(copies.published, ["1", "2", "1"]);
  assert.equal(world.children.length, 1);
  await world.end();
});

test("Supervisor waits for space for its copies, and says so, before it starts or changes anything", async () => {
  const copies = new FakeCopies();
  const world = new World({ program: withCopies(copies) });
  copies.isFull = true;
  world.source.set({ A: "1" });
  await world.clock.step(5000);
  assert.equal(world.children.length, 0);
  assert.ok(world.messages("error").length > 1);
  copies.isFull = false;
  await world.clock.step(60_000);
  assert.equal(world.children.length, 1);
  copies.isFull = true;
  world.files.set({ conf: "2" });
  await world.clock.step(5000);
  assert.equal(world.children.length, 1);
  copies.isFull = false;
  await world.clock.step(60_000);
  assert.deepEqual(copies.published, ["1", "2"]);
  assert.equal(world.children.length, 2);
  await world.end();
});

/** As Node's timers, which may be early by a part of a millisecond. */
class HastyClock extends FakeClock {
  override schedule(ms: number, callback: () => void): Disposable {
    return super.schedule(Math.max(0, ms - 0.5), callback);
  }
}

test("Supervisor forgets nothing that it has put off when a timer comes a little early", async () => {
  const copies = new FakeCopies();
  const clock = new HastyClock();
  const world = new World({ clock, options: { revives: true }, program: withCopies(copies) });
  copies.isFull = true;
  world.source.set({ A: "1" });
  await clock.step(100);
  copies.isFull = false;
  await clock.step(5000);
  assert.equal(world.children.length, 1, "copies");
  world.last.exit(1);
  await clock.step(5000);
  assert.equal(world.children.length, 2, "a revival");
  world.supervisor.forward("SIGWINCH");
  world.source.set({ A: "2" });
  await clock.step(15_000);
  assert.equal(world.children.length, 3, "what was left alone");
  await world.end();
});

test("Supervisor goes back when there is space for it again, and counts the refusal once", async () => {
  const copies = new FakeCopies();
  const world = new World({ program: withCopies(copies) });
  await world.settle();
  world.files.set({ conf: "bad" });
  await world.clock.step(100);
  copies.isFull = true;
  world.last.exit(1);
  await world.clock.step(10_000);
  assert.equal(world.children.length, 2);
  copies.isFull = false;
  await world.clock.step(60_000);
  assert.equal(world.children.length, 3);
  assert.deepEqual(copies.published, ["1", "bad", "1"]);
  await world.clock.step(1000);
  world.supervisor.count();
  const numbers = await world.metrics.text();
  assert.match(numbers, /driftless_run_refused_versions_total\{reason="not-ready"\} 1/);
  assert.match(numbers, /driftless_run_ready 1/);
  assert.match(numbers, /driftless_run_current 0/);
  await world.clock.step(60_000);
  assert.equal(world.children.length, 3, "what was refused is not tried again");
  await world.end();
});

test("Supervisor makes the old program's copies right again when the new one was sent away and the disk was full", async () => {
  const copies = new FakeCopies();
  const world = new World({
    options: { overlaps: true },
    program: { ready: always, ...withCopies(copies) },
  });
  world.source.set({ A: "1" });
  await world.clock.step(100);
  world.files.set({ conf: "bad" });
  await world.clock.step(100);
  assert.equal(world.children.length, 2);
  copies.isFull = true;
  world.last.exit(1);
  await world.clock.step(100);
  assert.deepEqual(copies.published, ["1", "bad"]);
  copies.isFull = false;
  await world.clock.step(60_000);
  assert.deepEqual(copies.published, ["1", "bad", "1"]);
  assert.equal(world.children.length, 2, "what was refused is not tried again");
  world.supervisor.forward("SIGTERM");
  world.children[0]?.exit(0);
  assert.equal(await world.code, 0);
});

test("Supervisor ends the program when it fails itself, rather than leave it alone", async () => {
  const broken: Word = {
    notice: () => undefined,
    apply: () => {
      throw new Error("a fault of ours");
    },
    refuse: () => undefined,
  };
  const world = new World({ options: { words: new Map([["/etc/env", broken]]) } });
  world.source.set({ A: "1" });
  const failed = assert.rejects(world.code, /a fault of ours/);
  await world.clock.step(1000);
  await failed;
  assert.deepEqual(world.last.got, ["stop"]);
});

test("Supervisor has as many timers after a thousand restarts as after one", async () => {
  const world = new World({ program: { ready: undefined } });
  await world.settle();
  const { waiting } = world.clock;
  for (let n = 0; n < 1000; n++) {
    world.source.set({ A: `x${n}` });
    await world.clock.step(100);
    if (n % 3 === 0) await world.clock.step(1000);
  }
  await world.clock.step(1000);
  assert.equal(world.children.length, 1001);
  assert.equal(world.clock.waiting, waiting);
  await world.end();
});

class SaidWord implements Word {
  readonly said: string[] = [];

  notice(version: string): void {
    this.said.push(`notice ${version}`);
  }

  apply(version: string): void {
    this.said.push(`apply ${version}`);
  }

  refuse(refusal: Parameters<Word["refuse"]>[0]): void {
    this.said.push(refusal === undefined ? "relent" : `${refusal.stage} ${refusal.reason}`);
  }
}

test("Supervisor says of each directory what the program has of it, and what was refused", async () => {
  const [env, app] = [new SaidWord(), new SaidWord()];
  const words = new Map([
    ["/etc/env", env],
    ["/etc/app", app],
  ]);
  const world = new World({ options: { words } });
  await world.settle();
  const [noticed = "", applied = ""] = env.said;
  assert.match(noticed, /^notice [0-9a-f]{64}$/);
  assert.equal(applied, noticed.replace("notice", "apply"));
  assert.equal(app.said.length, 2);
  world.source.set({ A: "bad" });
  await world.clock.step(100);
  world.last.exit(3);
  await world.clock.step(1000);
  assert.deepEqual(env.said.slice(3), ["ready it ended with 3", applied]);
  assert.deepEqual(
    app.said.filter((one) => one.startsWith("ready")),
    [],
  );
  world.source.set({ A: "1" });
  await world.clock.step(100);
  assert.deepEqual(env.said.slice(5), [noticed, "relent"]);
  await world.end();
});
