// Members die, hang and come back under load; what was acknowledged stays, and watches have no gap.

import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../../src/base/testing/seeded-random.ts";
import { LONG, testSeed } from "../support/campaign.ts";
import { etcdBinary } from "./etcd-binaries.ts";
import { EtcdCluster, type EtcdMember } from "./etcd-cluster.ts";
import { leaderAmong } from "./leader.ts";
import { runStores } from "./running-stores.ts";
import { Traffic } from "./traffic.ts";

const rounds = LONG ? 25 : 1;
/** In the long run longer than calls wait, so that writes end without an answer. */
const pauseMs = LONG ? 6000 : 2500;

for (const line of ["3.4", "3.5"] as const) {
  const found = await etcdBinary(line);
  const skip = found.ok ? false : found.reason;
  const binary = found.ok ? found.path : "";

  it(`EtcdStore on ${line} loses nothing when the leader is killed under load`, { skip }, (t) =>
    underLoad(binary, (text) => t.diagnostic(text), killLeader),
  );

  it(`EtcdStore on ${line} loses nothing when a member hangs under load`, { skip }, (t) =>
    underLoad(binary, (text) => t.diagnostic(text), pauseMember),
  );
}

interface Circumstances {
  readonly traffic: Traffic;
  /** By chance. */
  readonly chosen: EtcdMember;
  readonly round: number;
}

type Fault = (cluster: EtcdCluster, circumstances: Circumstances) => Promise<void>;

async function underLoad(binary: string, say: (text: string) => void, fault: Fault): Promise<void> {
  const seed = testSeed();
  const random = seededRandom(seed);
  say(`seed ${seed}`);
  await using cluster = await EtcdCluster.start({ binary, members: 3 });
  await using running = await runStores(2, { endpoints: cluster.endpoints });
  await using traffic = await Traffic.start({ stores: running.stores, random });
  for (let round = 0; round < rounds; round++) {
    await traffic.progresses(100);
    const chosen = cluster.members[random.uint32() % cluster.members.length] as EtcdMember;
    await fault(cluster, { traffic, chosen, round });
    await traffic.progresses(100);
  }
  say(await traffic.finish());
}

async function killLeader(cluster: EtcdCluster, { traffic }: Circumstances): Promise<void> {
  const leader = await leaderAmong(cluster.members);
  await leader.kill();
  // The other two go on.
  await traffic.progresses(50);
  leader.start();
  await cluster.serves([leader]);
}

/** First the leader, then any. Stores that talk to it notice by deadlines only. */
async function pauseMember(
  cluster: EtcdCluster,
  { traffic, chosen, round }: Circumstances,
): Promise<void> {
  const member = round === 0 ? await leaderAmong(cluster.members) : chosen;
  member.pause();
  try {
    await traffic.progresses(50);
    await sleep(pauseMs);
  } finally {
    member.resume();
  }
}
