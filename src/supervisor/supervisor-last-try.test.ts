// What becomes of a program on trial when something newer is wanted: if it is ready by then, it is what to go back to.

import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { test } from "node:test";
import { type TempDir, tempDir } from "../base/testing/temp-dir.ts";
import { World } from "./testing/world.ts";

/** Less than the first pause between two tries: a clock that is stepped so far brings no other one by itself. */
const minWaitMs = 10;

/** Nobody is late unless a test lets so much time pass. */
const readyTimeoutMs = 3_600_000;

interface Given {
  readonly gate?: string;
  readonly overlaps?: boolean;
  /** What a check does for as long as there is no file "up". */
  readonly otherwise?: string;
}

/** A program that was good with A=1 and has A=2 since then, which was asked once and was not ready. It is ready while there is a file "up", and never with A=bad. */
async function onTrial(dir: TempDir, given: Given = {}): Promise<World> {
  const { gate, overlaps = false, otherwise = "exit 1" } = given;
  const check = `test $A != bad || exit 1; test -e up || { echo $A >> asked; ${otherwise}; }`;
  const command = (script: string): readonly string[] => [
    ...["/bin/sh", "-c", `cd "$0"; ${script}`, dir.path],
  ];
  const world = new World({
    options: { minWaitMs, overlaps, readyTimeoutMs },
    program: {
      ready: { type: "exec", argv: command(check) },
      gate: gate === undefined ? undefined : command(gate),
      gateTimeoutMs: 3_600_000,
    },
  });
  dir.write({ up: "" });
  world.source.set({ A: "1" });
  await world.until(() => timesReady(world) === 1);
  rmSync(dir.join("up"));
  await want("2", world);
  await world.until(() => asked(dir) === 1);
  return world;
}

async function want(A: string, { source, clock }: World): Promise<void> {
  source.set({ A });
  await clock.step(minWaitMs);
}

function timesReady(world: World): number {
  return world.messages("info").filter((one) => one === "program is ready").length;
}

/** How often a program that was not ready was asked. */
function asked(dir: TempDir): number {
  if (!existsSync(dir.join("asked"))) return 0;
  return readFileSync(dir.join("asked"), "utf8").split("\n").length - 1;
}

/** It ends soon after its start, as programs do that cannot read their configuration. */
async function fail(world: World): Promise<void> {
  await world.until(() => world.last.env["A"] === "bad");
  world.last.exit(1);
  await world.until(() => world.messages("error").some((one) => one.startsWith("version refused")));
}

/** A check that is under way is killed, and takes a moment for it. */
async function end(world: World): Promise<void> {
  world.supervisor.forward("SIGTERM");
  for (const child of world.children) child.exit(0);
  assert.equal(await world.code, 0);
  await world.until(() => world.clock.waiting === 0);
}

test("Supervisor goes back to the version that became ready between two looks at it, and not to the one before", async () => {
  using dir = tempDir();
  const world = await onTrial(dir);
  dir.write({ up: "" });
  await want("bad", world);
  await fail(world);
  await world.until(() => world.children.length === 4);
  assert.deepEqual(world.values, ["1", "2", "bad", "2"]);
  await end(world);
});

test("Supervisor goes back to the version that became ready while the gate judged the next one", async () => {
  using dir = tempDir();
  const gate = "test $A != bad || { echo > judged; until test -e go; do sleep 0.01; done; }";
  const world = await onTrial(dir, { gate });
  await want("bad", world);
  await world.until(() => existsSync(dir.join("judged")));
  dir.write({ up: "" });
  await world.until(() => world.supervisor.problem !== "not ready yet");
  await world.clock.step(1000);
  await world.until(() => world.supervisor.problem === undefined);
  dir.write({ go: "" });
  await fail(world);
  await world.until(() => world.children.length === 4);
  assert.deepEqual(world.values, ["1", "2", "bad", "2"]);
  await end(world);
});

test("Supervisor hands over to the one that became ready between two looks at it, before it tries the next one", async () => {
  using dir = tempDir();
  const world = await onTrial(dir, { overlaps: true });
  dir.write({ up: "" });
  await want("bad", world);
  await fail(world);
  assert.deepEqual(world.values, ["1", "2", "bad"]);
  const [first, second] = world.children;
  assert.deepEqual([first?.got, second?.got], [["stop"], []]);
  await end(world);
});

test("Supervisor takes a program that was ready when it was asked once more for good, though the old one takes its time to end", async () => {
  using dir = tempDir();
  const world = await onTrial(dir, { overlaps: true });
  const [old] = world.children;
  assert.ok(old);
  old.isStubborn = true;
  dir.write({ up: "" });
  await want("3", world);
  await world.until(() => old.got.includes("stop"));
  rmSync(dir.join("up"));
  await world.clock.step(readyTimeoutMs);
  old.exit(0);
  await world.until(() => world.children.length === 3);
  assert.equal(timesReady(world), 2);
  await end(world);
});

test("Supervisor asks a program that does not answer once more, and not again for each change", async () => {
  using dir = tempDir();
  const world = await onTrial(dir, { otherwise: "exec sleep 1000" });
  await want("3", world);
  await world.until(() => asked(dir) === 2);
  await want("4", world);
  // As long as a try may take.
  await world.clock.step(5000);
  await world.until(() => world.children.length === 3);
  assert.deepEqual(world.values, ["1", "2", "4"]);
  await end(world);
});

for (const overlaps of [false, true]) {
  test(`Supervisor ends at once when a program does not answer that is asked once more${overlaps ? ", also during a hand-over" : ""}`, async () => {
    using dir = tempDir();
    const world = await onTrial(dir, { otherwise: "exec sleep 1000", overlaps });
    await want("3", world);
    await world.until(() => asked(dir) === 2);
    await end(world);
    assert.deepEqual(world.values, ["1", "2"]);
  });
}
