// Rollouts with real containers, under load: an observer that hears of every change of every pod says whether there were always as
// many ready ones as promised, and never more than allowed. `--seed N` repeats what is asked of the Deployments, not the race.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Deployment, Pod } from "../../src/api/types.ts";
import type { Random } from "../../src/base/random.ts";
import { seededRandom } from "../../src/base/testing/seeded-random.ts";
import { LONG, testSeed } from "../support/campaign.ts";
import { type DriftlessUp, eventually, UpDirectory } from "../up/driftless-up.ts";
import { type AppOptions, RollingApp } from "./rolling-app.ts";
import { RollingLoad } from "./rolling-load.ts";
import { RollingObserver } from "./rolling-observer.ts";

const skip = process.getuid?.() === 0 ? false : "needs root, for a node";
const ROUNDS = LONG ? 40 : 1;
const seed = testSeed();

describe("a rollout of real pods under load", { skip, concurrency: true }, () => {
  let directory: UpDirectory;
  let up: DriftlessUp;
  let load: RollingLoad;

  before(async () => {
    directory = new UpDirectory();
    up = await directory.start();
    const { kubeconfig } = directory;
    load = new RollingLoad({ url: up.url, kubeconfig, pauseMs: LONG ? 0 : 50 });
  });

  after(async () => {
    await load[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  it("always has the promised number of ready pods, and no more pods than allowed", async (t) => {
    t.diagnostic(`seed ${seed}`);
    const namespace = await namespaceOf(up, "promise");
    using observer = await RollingObserver.open(up, namespace);
    const variants = [
      { name: "quarter", replicas: 4, strategy: rolling("25%", "25%") },
      { name: "one-less", replicas: 2, strategy: rolling(0, 1) },
      { name: "one-more", replicas: 2, strategy: rolling(1, 0) },
      { name: "recreated", replicas: 1, strategy: { type: "Recreate" } },
    ];
    await Promise.all(
      variants.map(async (variant, i) => {
        const random = seededRandom(seed + i);
        const app = await RollingApp.start({ observer, ...variant });
        for (let round = 0; round < ROUNDS; round++) {
          // Any two that are next to each other do not do the same.
          const step = STEPS[(seed + i + round) % STEPS.length];
          await step?.(app, variant, random);
        }
      }),
    );
    const { violations, tally } = await observer.verdict();
    const requests = await load.stop();
    t.diagnostic(JSON.stringify({ ...tally, requests }));
    assert.deepEqual(violations, [], `seed ${seed}`);
    assert.ok(tally.atTheFloor > 0, "no rollout went as far as it may");
    assert.ok(tally.atTheCeiling > 0, "no rollout had as many pods as it may");
    assert.ok(requests > 50, "there was no load");
  });

  for (const { mode, kept, ...of } of [
    { mode: "silent", replicas: 4, strategy: rolling("25%", "25%"), kept: 3 },
    { mode: "crashing", replicas: 2, strategy: rolling(1, 0), kept: 2 },
  ] as const) {
    it(`stops at a revision of ${mode} pods, says so, and is healed by going back`, async () => {
      const namespace = await namespaceOf(up, mode);
      using observer = await RollingObserver.open(up, namespace);
      const patience = { progressDeadlineSeconds: 4 };
      const app = await RollingApp.start({ observer, name: mode, ...of, ...patience });
      const before = uidsOf(await app.pods());

      await app.restart(mode);
      await app.until("it is given up", (deployment) => {
        assert.deepEqual(progressOf(deployment), ["False", "ProgressDeadlineExceeded"]);
        const { replicas, updatedReplicas } = deployment.status;
        assert.deepEqual([replicas, updatedReplicas], [of.replicas + 1, of.replicas + 1 - kept]);
      });
      const stuck = await app.pods();
      const old = stuck.filter(({ metadata }) => before.has(metadata.uid ?? ""));
      assert.equal(old.length, kept, "pods of the old revision that are left");
      assert.equal(stuck.length, of.replicas + 1, "pods in all");

      await app.undo();
      await app.complete();
      await app.until("it says that all is well", (deployment) => {
        assert.deepEqual(progressOf(deployment), ["True", "NewReplicaSetAvailable"]);
      });
      const healed = uidsOf(await app.pods());
      assert.deepEqual(
        old.filter(({ metadata }) => !healed.has(metadata.uid ?? "")),
        [],
        "what was left of the old revision is used again",
      );
      assert.deepEqual((await observer.verdict()).violations, []);
    });
  }

  it("is seen to break its promise if pods are deleted or added by hand", async () => {
    const namespace = await namespaceOf(up, "planted");
    using observer = await RollingObserver.open(up, namespace);
    const of = { replicas: 2, strategy: rolling(0, 1), mode: "steady" } as const;
    const app = await RollingApp.start({ observer, name: "planted", ...of });
    assert.deepEqual((await observer.verdict()).violations, []);
    const pods = await app.pods();
    const [first] = pods;
    assert.ok(first !== undefined);

    await up.ask("POST", `/api/v1/namespaces/${namespace}/pods`, twinOf(first));
    const [tooMany, ...more] = (await observer.verdict()).violations;
    assert.match(tooMany ?? "", /deployment planted, pod twin: .*there are 3 pods, allowed are 2/);
    assert.deepEqual(more, []);
    // As long as it is there it would count, too.
    await eventually("the end of the twin", async () =>
      assert.deepEqual(uidsOf(await app.pods()), uidsOf(pods)),
    );

    await Promise.all(
      pods.map(({ metadata: { name } }) =>
        up.ask("DELETE", `/api/v1/namespaces/${namespace}/pods/${name}`),
      ),
    );
    const last = (await observer.verdict()).violations.at(-1);
    assert.match(last ?? "", /its deletion leaves 0 ready pods .*promised are 1/);
  });
});

type Step = (app: RollingApp, of: Pick<AppOptions, "replicas">, random: Random) => Promise<void>;

/** Each ends when the Deployment is as it should be, with the number of pods that it had. */
const STEPS: readonly Step[] = [
  async function rolledOver(app, _, random) {
    await app.restart();
    await halfDone(app, random);
    await app.restart();
    await app.complete();
  },
  async function scaledMeanwhile(app, { replicas }, random) {
    await app.restart();
    await halfDone(app, random);
    await app.scale(replicas + 2);
    await halfDone(app, random);
    await app.scale(replicas);
    await app.complete();
  },
];

/** One pod or so of the new revision is there. */
async function halfDone(app: RollingApp, random: Random): Promise<void> {
  const least = 1 + (random.uint32() % 2);
  await app.until("it is half done", ({ status, spec: { replicas = 1 } }) => {
    assert.ok((status.updatedReplicas ?? 0) >= Math.min(least, replicas));
  });
}

function rolling(maxSurge: number | string, maxUnavailable: number | string): object {
  return { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } };
}

/** There, with the account that its pods run as. */
async function namespaceOf(up: DriftlessUp, name: string): Promise<string> {
  await up.ask("POST", "/api/v1/namespaces", { metadata: { name } });
  await eventually(`the account of ${name}`, () =>
    up.ask("GET", `/api/v1/namespaces/${name}/serviceaccounts/default`),
  );
  return name;
}

/** One more that the same ReplicaSet holds for its own. */
function twinOf({ metadata: { labels, ownerReferences } }: Pod): object {
  const spec = { containers: [{ name: "main", image: "host", command: ["sleep", "infinity"] }] };
  return { metadata: { name: "twin", labels, ownerReferences }, spec };
}

function progressOf({ status }: Deployment): readonly unknown[] {
  const { status: is, reason } =
    status.conditions?.find(({ type }) => type === "Progressing") ?? {};
  return [is, reason];
}

function uidsOf(pods: readonly Pod[]): ReadonlySet<string> {
  return new Set(pods.map(({ metadata }) => metadata.uid ?? ""));
}
