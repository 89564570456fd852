// Whatever goes wrong on the way: in the end every workload was restarted for what it uses, none for what it does not, and none more often than
// its configuration changed. Seeds are printed; a failing one is repeated by itself.

import { equal, ok } from "node:assert/strict";
import { randomInt } from "node:crypto";
import { describe, it } from "node:test";
import { internalError } from "../../api/status-error.ts";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import { BASELINE, parseState } from "./reload-state.ts";
import { envSpec, ReloadWorld } from "./testing/reload-world.ts";

const WORKLOADS = 4;
const STEPS = 40;
const annotations = { "driftless.dev/reload": "auto" };

describe("ReloadController, whatever happens", () => {
  for (let round = 0; round < 12; round++) {
    const seed = randomInt(2 ** 31);
    it(`ends with every workload made for what there is (seed ${seed})`, () => campaign(seed));
  }
});

async function campaign(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const pick = (count: number): number => Math.floor(random.next() * count);
  await using world = new ReloadWorld({ seed });
  world.configMap({ k0: "0", k1: "0", k2: "0", unused: "0" });
  for (let index = 0; index < WORKLOADS; index++) {
    world.workload({ name: `w${index}`, annotations, podSpec: envSpec("app", `k${index % 3}`) });
  }
  await world.start();
  const changes = [0, 0, 0];
  for (let step = 0; step < STEPS; step++) {
    const key = pick(3);
    const actions: readonly (() => Promise<void> | void)[] = [
      () => {
        world.change({ [`k${key}`]: String(step + 1) });
        changes[key] = (changes[key] ?? 0) + 1;
      },
      () => world.change({ unused: String(step) }),
      () => world.restartController(),
      () => world.sim.cutWatches(),
      () => world.sim.forgetHistory(),
      () =>
        world.refuse(({ verb }) => (verb === "patch" && pick(3) > 0 ? fault(pick(3)) : undefined)),
      () =>
        world.refuse(({ verb }) => (verb === "list" && pick(2) > 0 ? fault(pick(2)) : undefined)),
      () => world.refuse(() => undefined),
      () => {
        world.sim.watchLagMs = () => pick(2000);
      },
    ];
    await actions[pick(actions.length)]?.();
    await world.sim.pass(pick(3000));
  }
  world.refuse(() => undefined);
  world.sim.watchLagMs = () => 0;
  await world.sim.pass(200_000);
  await world.restartController();
  await world.sim.pass(20_000);
  for (let index = 0; index < WORKLOADS; index++) judge(world, index, changes[index % 3] ?? 0);
  const restarts = totalRestarts(world);
  await world.restartController();
  await world.sim.pass(60_000);
  equal(totalRestarts(world), restarts, "it restarts things although nothing changes");
}

function judge(world: ReloadWorld, index: number, changes: number): void {
  const name = `w${index}`;
  const restarts = world.restarts(name);
  ok(restarts <= changes, `${name}: ${restarts} restarts for ${changes} changes`);
  ok(restarts > 0 || changes === 0, `${name}: no restart for ${changes} changes`);
  const state = parseState(world.get(name).metadata.annotations?.[BASELINE]);
  const others = parseState(world.get(`w${index % 3}`).metadata.annotations?.[BASELINE]);
  ok(state?.["configmap/app"]?.hashes?.[`k${index % 3}`]);
  equal(
    state["configmap/app"].hashes[`k${index % 3}`],
    others?.["configmap/app"]?.hashes?.[`k${index % 3}`],
  );
}

function totalRestarts(world: ReloadWorld): number {
  return [0, 1, 2, 3].reduce((sum, index) => sum + world.restarts(`w${index}`), 0);
}

function fault(which: number): ReturnType<typeof internalError> | "cut" | "lost" {
  return ([internalError("the disk is full"), "cut", "lost"] as const)[which] ?? "cut";
}
