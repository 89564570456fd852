// A campaign: random operations on a world with all controllers, with invariants that hear of every write, and a rest at the end of each
// round in which everything has to become as wanted.

import type { ApiObject } from "../../api/object.ts";
import {
  badRequest,
  internalError,
  type StatusError,
  tooManyRequests,
} from "../../api/status-error.ts";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import { controllerOf } from "../../controller/owner.ts";
import type { SimNodesOptions } from "../../controller/testing/sim-nodes.ts";
import type { SimFault, SimRequest } from "../../controller/testing/sim-server.ts";
import { checkRest, unrest } from "./at-rest.ts";
import { availability } from "./availability.ts";
import { type Chance, chanceOf } from "./chance.ts";
import { onePerNode } from "./daemon-limits.ts";
import { BrokenPromise, type Facts, type NewInvariant, NODES } from "./invariant.ts";
import { mixedFate } from "./machine-operations.ts";
import { mend, operate } from "./operations.ts";
import { dependentsFirst, garbageOnly, oneController } from "./ownership.ts";
import { goodEvictions, goodPlaces, goodPodGarbage } from "./places.ts";
import { deploymentLimit, replicaSetLimit } from "./pod-limits.ts";
import { RecentCounts } from "./recent.ts";
import { growingRevisions, observedGenerations, sameNames } from "./rollouts.ts";
import { World } from "./world.ts";

export const INVARIANTS: Readonly<Record<string, NewInvariant>> = {
  replicaSetLimit,
  deploymentLimit,
  availability,
  oneController,
  garbageOnly,
  dependentsFirst,
  sameNames,
  growingRevisions,
  observedGenerations,
  onePerNode,
  goodPlaces,
  goodEvictions,
  goodPodGarbage,
};

/** How hard the cluster is. */
export type Weather = "calm" | "laggy" | "stormy";

export interface SimulationOptions {
  readonly seed: number;
  readonly weather: Weather;
  readonly steps: number;
  /** Gets a line for each thing that is done. */
  readonly log?: (line: string) => void;
  /** Before it starts, for planted faults. */
  readonly prepare?: (world: World) => void;
  readonly makeWorld?: (seed: number) => World;
}

/** For how long what a controller knows can be old: watches that were cut come back after up to half a minute. */
const WINDOW_MS: Readonly<Record<Weather, number>> = { calm: 2000, laggy: 8000, stormy: 120_000 };
const STEPS_PER_ROUND = 40;
/** With room for what is wanted, but not if two of them take no pods. */
const NODES_OF_WORLD: SimNodesOptions = { count: 4, capacity: { pods: "24" } };
const REST_MS = 60_000;
/** Pods of a node that was lost are given up after five minutes; what failed often waits for half a minute. */
const MAX_RESTS = 40;

/** Throws BrokenPromise. */
export async function simulate(options: SimulationOptions): Promise<void> {
  const { seed, weather, steps, log = () => undefined } = options;
  await using world = options.makeWorld?.(seed) ?? new World({ seed, nodes: NODES_OF_WORLD });
  const { facts } = guard(world, weather);
  options.prepare?.(world);
  await world.start();
  const chance = chanceOf(seededRandom(seed + 7));
  const random = seededRandom(seed + 8);
  const say = (what: string): void => log(`${world.sim.clock.monotonicMs()} ms: ${what}`);
  for (let left = steps; left > 0; left -= STEPS_PER_ROUND) {
    brew({ world, weather, facts, random });
    world.nodes.fate = mixedFate(chance);
    for (let i = 0; i < Math.min(left, STEPS_PER_ROUND); i++) {
      say(operate(world, chance));
      await world.sim.pass(chance.below(chance.percent(20) ? 60_000 : 4000));
      await disturb({ world, weather, chance, say });
    }
    say("rest");
    await rest(world);
  }
}

interface Disturbance {
  readonly world: World;
  readonly weather: Weather;
  readonly chance: Chance;
  readonly say: (what: string) => void;
}

async function disturb({ world, weather, chance, say }: Disturbance): Promise<void> {
  if (weather === "calm") return;
  if (chance.percent(3)) {
    say("restart");
    await world.restart();
  }
  if (weather === "laggy") return;
  if (chance.percent(3)) world.sim.cutWatches();
  if (chance.percent(2)) world.sim.forgetHistory();
}

/** Holds every write from now on against all invariants. */
export function guard(
  { sim }: World,
  weather: Weather,
): { readonly facts: Facts; readonly promises: ReadonlyMap<string, string> } {
  const windowMs = (): number => WINDOW_MS[weather];
  const facts: Facts = { sim, windowMs, lost: new RecentCounts(sim.clock, windowMs) };
  const promises = new Map<string, string>();
  for (const [name, invariant] of Object.entries(INVARIANTS)) {
    const { promise, see } = invariant(facts);
    promises.set(name, promise);
    sim.observe(see);
    // They know what was there before them.
    for (const object of sim.list<ApiObject>(NODES)) {
      see({ type: "ADDED", kind: NODES, object, old: undefined, by: "kubelet" });
    }
  }
  return { facts, promises };
}

async function rest(world: World): Promise<void> {
  const { sim } = world;
  for (let i = 0; i < MAX_RESTS; i++) {
    // Again: what was orphaned meanwhile may be broken too.
    mend(world);
    let writes = 0;
    using _ = sim.observe(({ by, kind }) => {
      if (by !== "kubelet" || kind.kind === "Pod") writes++;
    });
    await sim.pass(REST_MS);
    if (writes === 0 && unrest(sim).length === 0) return;
  }
  checkRest(sim);
  throw new BrokenPromise("when everything rests, nothing is written; but it goes on");
}

interface Brew {
  readonly world: World;
  readonly weather: Weather;
  readonly facts: Facts;
  readonly random: ReturnType<typeof seededRandom>;
}

function brew({ world: { sim }, weather, facts, random }: Brew): void {
  if (weather === "calm") return;
  sim.watchLagMs = () => (random.next() < 0.5 ? 0 : Math.floor(random.next() * 600));
  sim.latencyMs = () => Math.floor(random.next() * 20);
  if (weather === "stormy") sim.refuse((request) => faultFor(request, facts, random));
}

function faultFor(
  request: SimRequest,
  { lost }: Facts,
  random: Brew["random"],
): SimFault | undefined {
  const roll = random.next() * 100;
  if (request.by === "somebody" || roll > 5) return undefined;
  if (request.verb === "watch") return roll < 2 ? "cut" : undefined;
  if (roll < 1) return "cut";
  if (roll < 2) {
    const { verb, kind, body } = request;
    if (verb === "create" && kind.kind === "Pod" && request.subresource === "") {
      lost.add(controllerOf(body as never)?.uid ?? "");
    }
    return "lost";
  }
  return refusals[Math.floor(random.next() * refusals.length)];
}

const refusals: readonly StatusError[] = [
  internalError("etcdserver: request timed out"),
  tooManyRequests("the server is busy", 1),
  badRequest("no"),
];
