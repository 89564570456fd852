// Real sidecars, a real API server, real disks, and everything that can be wrong with them, in an order that a seed decides. Somebody who looks at what is live all the time never
// sees a bad, torn, empty or older file; when the faults are over, what is live is what the sources say, and the app knows it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { seededRandom } from "../../src/base/testing/seeded-random.ts";
import { LONG, testSeed } from "../support/campaign.ts";
import { Campaign } from "./campaign.ts";
import { FaultyScene } from "./faulty-scene.ts";
import { isOf } from "./faulty-set.ts";
import { TEMPTING_FAULTS } from "./faulty-url.ts";
import type { Summary } from "./observer.ts";
import { until } from "./program.ts";

const ROUNDS = LONG ? 40 : 1;
const seed = testSeed();

/** What is live is what the sources say, and the app knows it. */
async function assertArrives(scene: FaultyScene, { numbers }: Campaign): Promise<void> {
  for (const sidecar of scene.sidecars) {
    const { kind, app, acks } = sidecar;
    const said = (): string => {
      const now = { numbers, live: sidecar.texts(), app: app.current, acked: acks.newest };
      const disk = scene.onDisk().join(" ").slice(0, 2000);
      return `${sidecar.log.slice(-3000)}\n${disk}\n${JSON.stringify(now).slice(0, 2500)}`;
    };
    await until(`${kind} shows what the sources say`, () => isOf(sidecar.texts(), numbers), said);
    const isApplied = (): boolean => {
      acks.look();
      return sidecar.isApplied();
    };
    await until(`the app of ${kind} knows what is live`, isApplied, said);
    assert.deepEqual(acks.complaints, []);
    assert.ok(!sidecar.hasFailed);
  }
}

describe(`sidecars among faults (seed ${seed})`, { timeout: LONG ? 1_700_000 : 230_000 }, () => {
  it("never show anything bad, and arrive when the faults are over", async (t) => {
    const made = await FaultyScene.make();
    if ("reason" in made) return t.skip(made.reason);
    await using scene = made;
    const campaign = new Campaign(scene, seededRandom(seed));
    try {
      await campaign.renew();
      await scene.start();
      for (let round = 0; round < ROUNDS; round++) {
        await campaign.round();
        await campaign.mendAll();
        await assertArrives(scene, campaign);
      }
      for (const fault of TEMPTING_FAULTS) {
        await campaign.serveBadly(fault);
        await assertArrives(scene, campaign);
      }
      const lines = await scene.observed();
      assert.deepEqual(lines.slice(0, -1), [], "what the observer has seen");
      const { looks, versions } = JSON.parse(lines.at(-1) ?? "{}") as Summary;
      const told = scene.sidecars.map(({ app }) => app.told);
      const answers = [...scene.url.answers].map(([what, count]) => `${what}: ${count}`);
      t.diagnostic(
        `${looks} looks, versions ${JSON.stringify(versions)}, told ${told.join(", ")}; ${answers.join(", ")}`,
      );
      assert.ok(
        Object.values(versions).every((count) => count > 1),
        "versions came and went",
      );
    } catch (err) {
      t.diagnostic(`repeat with: npm test -- sidecar-faults/campaign --seed ${seed}`);
      for (const line of campaign.story.slice(-200)) t.diagnostic(line);
      throw err;
    }
    return undefined;
  });
});
