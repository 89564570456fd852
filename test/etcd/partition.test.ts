// Three members on three machines, and two servers. The leader dies, then a machine is cut off the network,
// the leader's included: the two servers agree on everything, and nothing that was acknowledged is lost.

import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../../src/base/testing/seeded-random.ts";
import { ensureDebianPackages } from "../../tools/debian.ts";
import { LONG, testSeed } from "../support/campaign.ts";
import { etcdBinary } from "./etcd-binaries.ts";
import { EtcdCluster } from "./etcd-cluster.ts";
import { leaderAmong } from "./leader.ts";
import { makeNetwork, type Network } from "./network.ts";
import { runStores } from "./running-stores.ts";
import { Traffic } from "./traffic.ts";

const rounds = LONG ? 10 : 1;
const cutMs = LONG ? 8000 : 2500;

for (const line of LONG ? (["3.4", "3.5"] as const) : (["3.5"] as const)) {
  it(`EtcdStore on ${line} loses nothing when machines die and are cut off`, async (t) => {
    const found = await etcdBinary(line);
    if (!found.ok) return t.skip(found.reason);
    const tools = await ensureDebianPackages([{ command: "ip", package: "iproute2" }]);
    if (!tools.ok) return t.skip(tools.reason);
    const network = makeNetwork(3);
    if (typeof network === "string") return t.skip(network);
    using _network = network;
    const seed = testSeed();
    t.diagnostic(`seed ${seed}`);
    t.diagnostic(await campaign(found.path, network, seed));
    return undefined;
  });
}

async function campaign(binary: string, network: Network, seed: number): Promise<string> {
  const random = seededRandom(seed);
  const { places } = network;
  await using cluster = await EtcdCluster.start({ binary, members: 3, places });
  await using running = await runStores(2, { endpoints: cluster.endpoints });
  await using traffic = await Traffic.start({ stores: running.stores, random });
  for (let round = 0; round < rounds; round++) {
    await traffic.progresses(100);
    const leader = await leaderAmong(cluster.members);
    await leader.kill();
    await traffic.progresses(50);
    leader.start();
    await cluster.serves([leader]);

    const next = cluster.members.indexOf(await leaderAmong(cluster.members));
    for (const index of [next, random.uint32() % 3]) {
      network.cut(index);
      await traffic.progresses(50);
      await sleep(cutMs);
      network.mend(index);
      await traffic.progresses(50);
    }
  }
  return await traffic.finish();
}
