// Users who change their minds, pods that fail and parts that lag: whatever happens, SimRollout's promises hold at every write, and when
// everybody leaves it alone, the rollout ends.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Random } from "../../base/random.ts";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import { LONG, testSeed } from "../testing/campaign.ts";
import { desiredReplicas } from "./deployment-objects.ts";
import { SimRollout } from "./testing/sim-rollout.ts";

const RUNS = LONG ? 300 : 6;
const STEPS = 12;

test("Any sequence of changes keeps the promises and ends in what was wanted last", (t) =>
  playAll(t, play));

test("Recreate never starts a pod beside one of another version, and ends in what was wanted last", (t) =>
  playAll(t, playRecreate));

async function playAll(t: TestContext, one: (seed: number) => Promise<void>): Promise<void> {
  const first = testSeed();
  t.diagnostic(`seeds ${first} to ${first + RUNS - 1}`);
  for (let seed = first; seed < first + RUNS; seed++) {
    try {
      await one(seed);
    } catch (cause) {
      throw new Error(`seed ${seed}`, { cause });
    }
  }
}

async function playRecreate(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random.next() * limit);
  await using rollout = new SimRollout({ seed, fate: fateOf(random) });
  const { sim } = rollout;
  const [lagMs = 0, latencyMs = 0] = [[0, 50, 500][below(3)], [0, 30][below(2)]];
  const isLossy = below(2) === 0;
  sim.watchLagMs = () => below(lagMs + 1);
  sim.latencyMs = () => below(latencyMs + 1);
  sim.refuse(({ verb }) => {
    if (!isLossy || verb === "watch" || verb === "list" || below(15) > 0) return undefined;
    return below(2) === 0 ? "lost" : "cut";
  });
  await rollout.start();
  rollout.create({ replicas: 1 + below(4), strategy: { type: "Recreate" } });
  const pauseMs = [300, 3000][below(2)] ?? 0;
  for (let step = 0; step < STEPS; step++) {
    await sim.pass(below(pauseMs));
    if (below(6) === 0) await rollout.change({ replicas: below(6) });
    else await oneOf(rollout, below, false);
  }
  await rollout.change({ paused: false, replicas: 2 });
  await rollout.use("good");
  await rollout.complete();
  assert.equal(rollout.sizes["good"], 2);
}

async function play(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random.next() * limit);
  await using rollout = new SimRollout({ seed, fate: fateOf(random) });
  const resizes = below(2) === 0;
  const lagMs = [0, 100, 2000][below(3)] ?? 0;
  rollout.sim.watchLagMs = () => below(lagMs + 1);
  rollout.create({ replicas: 1 + below(8), progressDeadlineSeconds: 30 });
  await rollout.start();
  await rollout.complete();
  for (let step = 0; step < STEPS; step++) {
    await oneOf(rollout, below, resizes);
    await rollout.sim.pass(below(4000));
  }
  await rollout.change({ paused: false });
  await rollout.use("good");
  await rollout.complete();
  assert.equal(rollout.sizes["good"], desiredReplicas(rollout.deployment));
  assert.equal(
    new Set(rollout.sets.map(({ spec }) => spec.template.spec.containers?.[0]?.image)).size,
    rollout.sets.length,
  );
}

/** Bad versions never get ready; others take their time. */
function fateOf(
  random: Random,
): (image: string) => { startMs: number; readyMs: number | undefined } {
  return (image) => ({
    startMs: random.next() * 1000,
    readyMs: image.startsWith("bad") ? undefined : random.next() * 3000,
  });
}

/** Promises count while the size stays: half of the runs never change it. */
async function oneOf(
  rollout: SimRollout,
  below: (limit: number) => number,
  resizes: boolean,
): Promise<void> {
  switch (below(resizes ? 8 : 6)) {
    case 0:
      return rollout.change({ paused: below(2) === 0 });
    case 1:
      return rollout.use(`bad-${below(2)}`);
    case 2:
      return rollout.restart();
    case 6:
      return rollout.change({ replicas: below(10) });
    case 7:
      return rollout.change({
        strategy: { rollingUpdate: { maxSurge: below(4), maxUnavailable: 1 + below(3) } },
      });
    default:
      return rollout.use(`v${below(3)}`);
  }
}
