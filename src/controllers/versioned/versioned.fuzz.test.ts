// Sources that change, come and go, workloads that are undone and deployed anew, a controller that dies, watches that lag and answers that
// are lost: no copy goes that anything names (SimVersioned), and when everybody leaves it alone, every workload that asks has the
// newest, unless it was taken back from it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import { LONG, testSeed } from "../testing/campaign.ts";
import {
  CONFIG_MAP,
  DEPLOYMENTS,
  GRACE_MS,
  podSpec,
  SimVersioned,
} from "./testing/sim-versioned.ts";
import { sourceNameOf } from "./versioned-names.ts";

const RUNS = LONG ? 100 : 3;
const STEPS = 25;
const SOURCES = ["a", "b"] as const;
const WORKLOADS = ["web", "api"] as const;

test("Whatever happens, no copy goes that is named, and who asks ends with the newest or where it was taken back to", async (t) => {
  const first = testSeed();
  t.diagnostic(`seeds ${first} to ${first + RUNS - 1}`);
  for (let seed = first; seed < first + RUNS; seed++) {
    try {
      await play(seed);
    } catch (cause) {
      throw new Error(`seed ${seed}`, { cause });
    }
  }
});

async function play(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random.next() * limit);
  await using at = new SimVersioned(seed);
  const { sim } = at;
  disturb(at, below);
  for (const name of SOURCES) at.source(name, "0");
  for (const name of WORKLOADS) at.deployment(name, SOURCES);
  await at.start();
  const story: Story = { takenBack: new Map(), changes: new Map() };
  for (let step = 0; step < STEPS; step++) {
    await sim.pass(below(2) === 0 ? below(3000) : below(40_000));
    await oneOf(at, below, story);
  }
  for (const name of SOURCES) {
    if (contentOf(at, name) === undefined) write(at, { source: name, text: "last", story });
  }
  await sim.pass(10 * GRACE_MS);
  judge(at, story);
}

function disturb({ sim }: SimVersioned, below: (limit: number) => number): void {
  const lagMs = [0, 100, 1500][below(3)] ?? 0;
  const isLossy = below(2) === 0;
  sim.watchLagMs = () => below(lagMs + 1);
  sim.refuse(({ verb }) => {
    if (!isLossy || verb === "watch" || verb === "list" || below(10) > 0) return undefined;
    return below(2) === 0 ? "lost" : "cut";
  });
}

function judge(at: SimVersioned, { takenBack, changes }: Story): void {
  for (const workload of WORKLOADS) {
    for (const named of at.names(workload)) {
      const source = sourceNameOf(named) ?? named;
      assert.notEqual(at.copy(named), undefined, `${workload} names ${named}, which is gone`);
      const back = takenBack.get(`${workload}/${source}`);
      const isBack = back !== undefined && back.change === changes.get(source);
      assert.equal(named, isBack ? back.to : at.newest(source), `${workload}: ${source}`);
    }
  }
  for (const source of SOURCES) {
    assert.equal(at.copy(at.newest(source))?.data?.["text"], contentOf(at, source));
  }
}

interface Story {
  /** By workload and source: the name that the template was taken back to, and after which change of the source. */
  readonly takenBack: Map<string, { readonly to: string; readonly change: number | undefined }>;
  /** By source: how often it got another content. */
  readonly changes: Map<string, number>;
}

function write(
  at: SimVersioned,
  { source, text, story }: { source: string; text: string | undefined; story: Story },
): void {
  const held = contentOf(at, source);
  if (held === text) return;
  story.changes.set(source, (story.changes.get(source) ?? 0) + 1);
  if (text === undefined) at.sim.delete(CONFIG_MAP, `default/${source}`);
  else if (held === undefined) at.source(source, text);
  else at.change(source, text);
}

async function oneOf(
  at: SimVersioned,
  below: (limit: number) => number,
  story: Story,
): Promise<void> {
  const { sim } = at;
  const source = SOURCES[below(SOURCES.length)] ?? "a";
  const workload = WORKLOADS[below(WORKLOADS.length)] ?? "web";
  switch (below(9)) {
    case 0:
      return at.restart();
    case 1:
      return undo(at, workload, story);
    case 2:
      return write(at, { source, text: undefined, story });
    case 3: {
      const metadata = { annotations: { build: String(below(1000)) } };
      sim.patch(DEPLOYMENTS, `default/${workload}`, { spec: { template: { metadata } } });
      return;
    }
    case 4:
      // As `kubectl apply` of the manifest.
      sim.patch(DEPLOYMENTS, `default/${workload}`, {
        spec: { template: { spec: podSpec(SOURCES) } },
      });
      for (const name of SOURCES) story.takenBack.delete(`${workload}/${name}`);
      return;
    default:
      return write(at, { source, text: String(below(4)), story });
  }
}

/** When all is at rest: who takes a rollout back has seen it. */
async function undo(
  at: SimVersioned,
  workload: string,
  { takenBack, changes }: Story,
): Promise<void> {
  await at.sim.pass(30_000);
  const before = at.names(workload);
  if (!at.undo(workload)) return;
  const after = at.names(workload);
  for (const source of SOURCES) {
    const key = `${workload}/${source}`;
    const to = after.find((name) => sourceNameOf(name) === source);
    // One that names the source itself asks for the newest.
    if (to === undefined) takenBack.delete(key);
    else if (!before.includes(to)) takenBack.set(key, { to, change: changes.get(source) });
  }
}

function contentOf(at: SimVersioned, source: string): string | undefined {
  return at.copy(source)?.data?.["text"];
}
