// All controllers together on a simulated cluster: whatever people, machines and the network do, what each of them promises holds at every
// write, and everything becomes as wanted when it is left alone. `DRIFTLESS_TEST_SEED=n` repeats a run.

import assert from "node:assert/strict";
import { test } from "node:test";
import { LONG, testSeed } from "./testing/campaign.ts";
import { BrokenPromise } from "./testing/invariant.ts";
import { PLANTED_FAULTS } from "./testing/planted-faults.ts";
import { guard, INVARIANTS, simulate, type Weather } from "./testing/simulation.ts";
import { World } from "./testing/world.ts";

const seed = testSeed();
const weathers: readonly Weather[] = ["calm", "laggy", "stormy"];
const runs = LONG ? 40 : 1;
const steps = LONG ? 400 : 120;

for (const weather of weathers) {
  for (let run = 0; run < runs; run++) {
    test(`every promise holds in ${weather} weather, seed ${seed + run}`, async (context) => {
      const lines: string[] = [];
      try {
        await simulate({ seed: seed + run, weather, steps, log: (line) => lines.push(line) });
      } catch (err) {
        for (const line of lines.slice(-20)) context.diagnostic(line);
        throw err;
      }
    });
  }
}

test("the same seed does the same", async () => {
  const record = async (): Promise<readonly string[]> => {
    const writes: string[] = [];
    await simulate({
      seed: 5,
      weather: "stormy",
      steps: 30,
      prepare: ({ sim }) => {
        sim.observe(({ by, type, object }) => {
          writes.push(
            `${sim.clock.monotonicMs()} ${by} ${type} ${JSON.stringify(object.metadata)}`,
          );
        });
      },
    });
    return writes;
  };
  assert.deepEqual(await record(), await record());
});

for (const name of Object.keys(INVARIANTS)) {
  test(`a planted fault breaks the promise of ${name}`, async () => {
    const world = new World({ seed: 1, nodes: { count: 2 } });
    const promise = guard(world, "calm").promises.get(name) ?? "";
    await PLANTED_FAULTS[name]?.(world.sim);
    await assert.rejects(world.sim.settle(), (err: unknown) => {
      assert(err instanceof BrokenPromise);
      assert(err.message.startsWith(`${promise}; `), err.message);
      return true;
    });
    await world[Symbol.asyncDispose]();
  });
}

test("a cluster whose ReplicaSets nobody looks after does not come to rest", async () => {
  const idle = { name: "idle", run: () => Promise.resolve() };
  const makeWorld = (of: number): World =>
    new World({ seed: of, nodes: { count: 4 }, replaced: { replicaSet: () => idle } });
  await assert.rejects(
    simulate({ seed: 1, weather: "calm", steps: 40, makeWorld }),
    /when everything rests/,
  );
});
