// kill -9 in the middle of everything, again and again. Every write carries a mark, and the marks are looked for
// afterwards: in lists right after each restart, and by watchers that resume over the crash.

import assert from "node:assert/strict";
import { it } from "node:test";
import { LONG, testSeed } from "../support/campaign.ts";
import { coverageOf, coverageText } from "./coverage.ts";
import { Model } from "./model.ts";
import { ServerUnderTest } from "./server-under-test.ts";
import { Workload } from "./workload.ts";

const KILLS = LONG ? 100 : 8;
const WRITERS = 16;

it(`G4 ${KILLS} times kill -9 under load lose nothing acknowledged and show nothing half-written`, async (t) => {
  const seed = testSeed();
  t.diagnostic(`seed ${seed}`);
  await using server = await ServerUnderTest.start({ flags: ["--log-level", "error"] });
  await using workload = await Workload.start({
    server,
    seed,
    writers: WRITERS,
    readers: 2,
    watchers: 20,
  });
  for (let kill = 0; kill < KILLS; kill++) {
    // Writes are in flight now: sixteen clients wait for one each, all the time.
    await workload.progresses(100);
    await server.restart("kill");
    await workload.looksAround();
  }
  await workload.progresses(100);

  const found = await workload.finish();

  const coverage = coverageOf(workload.run);
  const survived = [...new Model(workload.run).changes()].filter(
    ({ write }) => write.outcome.is === "unknown",
  );
  t.diagnostic(
    `${coverageText(coverage)}; ${survived.length} writes without an answer have happened`,
  );
  assert.deepEqual(found, [], `seed ${seed}`);
  assert.ok(coverage.acknowledged >= 100 * KILLS && coverage.unknown > 0 && coverage.resumed > 0);
});
