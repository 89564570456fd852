// G5: whatever happens, views do not lie. Objects, pods, the agent, its line to the server, its disk, its files and its mounts are disturbed at random, and
// somebody who believes nobody (observer.ts) holds what views say against what containers have: all the time, and whenever everything has come to rest.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ConfigView } from "../../src/api/types.ts";
import { seededRandom } from "../../src/base/testing/seeded-random.ts";
import { Cluster, sleeper } from "../agent/cluster.ts";
import { Verbs } from "../cli/verbs.ts";
import { TcpProxy } from "../etcd/tcp-proxy.ts";
import { cannotRun } from "../runtime/live-runtime.ts";
import { LONG, testSeed } from "../support/campaign.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import { Campaign } from "./campaign.ts";
import { users } from "./config-users.ts";
import { Observer } from "./observer.ts";
import { SmallDisk } from "./small-disk.ts";
import { saysInSync, ViewWatch } from "./view-watch.ts";

const ROUNDS = LONG ? 60 : 3;
const DEEDS = LONG ? 15 : 9;
/** Views that say nothing new for so long are at rest. */
const REST_MS = 5000;
/** Between two looks at everybody, unless there is news. */
const PAUSE_MS = 100;
const seed = testSeed();

describe(`G5 views (seed ${seed})`, { skip: cannotRun }, () => {
  let disk: SmallDisk;
  let line: TcpProxy;
  let cluster: Cluster;
  let watch: ViewWatch;
  let observer: Observer;
  let campaign: Campaign;

  before(async () => {
    disk = SmallDisk.make();
    const server = await DriftlessServer.start({ flags: ["--store", "memory"] });
    line = await TcpProxy.start(server.url);
    const { dataDir } = server;
    const way = { url: line.url.replace("http:", "https:"), dataDir };
    cluster = await Cluster.of(server, { server: way, dataDir: disk.dataDir });
    watch = await ViewWatch.start(server);
    observer = new Observer(cluster);
    campaign = new Campaign({
      ...{ cluster, line, disk, observer, random: seededRandom(seed) },
      tampered: (pod) =>
        watch.until(`the tampering of ${pod}`, () =>
          watch.uses(pod).find(({ drift }) => drift?.reason === "TamperedOnDisk"),
        ),
    });
    await cluster.makeConfigMap("sentinel", { data: { round: "0" } });
    await cluster.makePod("sentinel", {
      containers: [sleeper({ volumeMounts: [{ name: "round", mountPath: "/etc/round" }] })],
      volumes: [{ name: "round", configMap: { name: "sentinel" } }],
    });
    await campaign.begin();
  });
  after(async () => {
    watch?.[Symbol.dispose]();
    await cluster?.node.kill();
    disk?.killContainers();
    await cluster?.[Symbol.asyncDispose]();
    await line?.[Symbol.asyncDispose]();
    disk?.[Symbol.dispose]();
  });

  let barriers = 0;
  /** What was written before was seen by the agent, and it has reported since. */
  async function barrier(): Promise<void> {
    const { metadata } = (await cluster.change("configmaps/sentinel", {
      data: { round: String(++barriers) },
    })) as { readonly metadata: { readonly resourceVersion: string } };
    await watch.until(`round ${barriers} in the sentinel's view`, () =>
      watch
        .uses("sentinel")
        .find((use) => use.wanted?.resourceVersion === metadata.resourceVersion),
    );
  }

  /** Settles when the views say what is true, twice; fails when they are at rest and do not. */
  async function isTrue(): Promise<void> {
    for (let times = 0; times < 2; ) {
      await barrier();
      const found = await observer.differences();
      times = found.length === 0 ? times + 1 : 0;
      if (found.length === 0 || (await watch.news(REST_MS))) continue;
      const still = await observer.differences();
      if (still.length > 0) throw new Error(still.join("\n"));
    }
  }

  const told = (): string => {
    const log = cluster.node.log.slice(-6000);
    return `after this (seed ${seed}):\n${campaign.story.join("\n")}\nthe node's log ends with ${log}`;
  };

  /** Looks at every pod in turn, until it is stopped or finds something. */
  async function lookAround(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      for (const pod of Object.keys(users)) {
        const wasDisturbed = campaign.isDisturbed(pod);
        const found = await observer.lies(pod);
        if (found.length === 0 || wasDisturbed || campaign.isDisturbed(pod)) continue;
        throw new Error(found.join("\n"));
      }
      await watch.news(PAUSE_MS);
    }
  }

  async function explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      throw new Error(told(), { cause });
    }
  }

  it(`are true in ${ROUNDS} rounds of ${DEEDS} deeds`, async (t) => {
    t.diagnostic(`seed ${seed}`);
    await isTrue();
    for (let round = 0; round < ROUNDS; round++) {
      const stop = new AbortController();
      const looking = lookAround(stop.signal);
      const acting = (async (): Promise<void> => {
        for (let i = 0; i < DEEDS; i++) await campaign.act();
        await campaign.reconnect();
      })();
      try {
        await explained(async () => {
          await Promise.race([acting, looking.then(() => acting)]);
          await isTrue();
          await campaign.heal();
          await isTrue();
        });
      } finally {
        stop.abort();
        await Promise.allSettled([acting, looking]);
      }
      await explained(() => looking);
    }
    assert.ok(observer.looks > 30 * ROUNDS, `${observer.looks} looks`);
    t.diagnostic(`${campaign.story.length} deeds, ${observer.looks} looks`);
  });

  it("that are forged are found out by the observer, and by the agent as soon as it is back", async () => {
    await campaign.mendAll();
    await allInSync();
    await campaign.killAgent();
    await campaign.change("cm0", ["cm0_a"]);
    const path = "/apis/driftless.dev/v1/namespaces/default/configviews/env";
    const view = await cluster.ask<ConfigView>("GET", path);
    const { version: hash } = observer.heard(
      await cluster.ask("GET", "/api/v1/namespaces/default/configmaps/cm0"),
    );
    assert.deepEqual(await observer.lies("env"), [], "an old view claims nothing of a new content");
    const uses = view.uses?.map((use) =>
      use.name === "cm0" ? { ...use, wanted: { hash }, onDisk: { hash } } : use,
    );
    await cluster.ask("PUT", path, { ...view, uses });
    assert.match((await observer.lies("env")).join(), /^env cm0 env is said to be in sync with/);
    assert.match((await observer.differences()).join("\n"), /^env cm0 env: it is not in sync/m);
    await campaign.reconnect();
    await watch.until("the truth", () =>
      watch.uses("env").find((use) => use.name === "cm0" && use.drift?.reason === "EnvFrozen"),
    );
    await isTrue();
    assert.deepEqual(await observer.lies("env"), []);
  });

  it("and status say so, when everything is mended", async () => {
    await campaign.mendAll();
    await allInSync();
    await isTrue();
    const { code, stdout } = await new Verbs(cluster.server.kubeconfig).run("status");
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^16 of 16 in sync$/m);
  });

  async function allInSync(): Promise<void> {
    await watch.until(
      "everybody in sync",
      () =>
        Object.entries(users).every(([pod, { uses }]) => {
          const said = watch.uses(pod);
          return said.length === uses.length && said.every(saysInSync);
        }) || undefined,
    );
  }
});
