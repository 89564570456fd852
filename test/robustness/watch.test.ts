// Watches under everything that happens to them: writers and deleters, selectors, slow readers, forgotten pasts, and a
// server that is stopped and killed meanwhile. What clients were told is held against what writers did.

import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { etcdBinary } from "../etcd/etcd-binaries.ts";
import { EtcdCluster } from "../etcd/etcd-cluster.ts";
import { LONG, testSeed } from "../support/campaign.ts";
import { type Coverage, coverageOf, coverageText } from "./coverage.ts";
import { ServerUnderTest } from "./server-under-test.ts";
import { Workload } from "./workload.ts";

const EVENTS = LONG ? 1_000_000 : 100_000;
/** Between two and four seconds of the past are kept, so that it is gone while a run lasts. */
const flags = ["--compaction-interval", "2", "--log-level", "warn"];
/** Half of them are kills. */
const RESTARTS = LONG ? 24 : 4;

it("G3 every promise about watches is kept on SQLite", (t) => campaign(t, []));

const etcd = await etcdBinary("3.5");

it("G3 every promise about watches is kept on etcd", {
  skip: etcd.ok ? false : etcd.reason,
}, async (t) => {
  await using cluster = await EtcdCluster.start({ binary: etcd.ok ? etcd.path : "" });
  await campaign(t, ["--store", `etcd:${cluster.endpoints.join()}`]);
});

async function campaign(t: TestContext, store: readonly string[]): Promise<void> {
  const seed = testSeed();
  t.diagnostic(`seed ${seed}`);
  await using server = await ServerUnderTest.start({ flags: [...flags, ...store] });
  await using workload = await Workload.start({
    server,
    seed,
    writers: 12,
    readers: 4,
    watchers: 240,
  });
  for (let round = 1; round <= RESTARTS; round++) {
    await workload.receives((EVENTS * round) / (RESTARTS + 1));
    if (round % 8 === 2) await workload.neglect();
    await server.restart(round % 2 === 0 ? "kill" : "stop");
    await workload.progresses(100);
  }
  await workload.receives(EVENTS);
  await workload.isBookmarked();

  const found = await workload.finish();

  const coverage = coverageOf(workload.run);
  t.diagnostic(coverageText(coverage));
  assert.deepEqual(found, [], `seed ${seed}`);
  assert.ok(coverage.events >= EVENTS, `only ${coverage.events} events were received`);
  for (const what of Object.keys(coverage) as (keyof Coverage)[]) {
    assert.ok(coverage[what] > 0, `nothing was put to the test: ${what}`);
  }
}
