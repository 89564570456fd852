// The server goes away, hangs and comes back while objects change. Pods keep running with what they have, and catch up without a
// stampede.

import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Lease, Node, Pod } from "../../src/api/types.ts";
import { seededRandom } from "../../src/base/testing/seeded-random.ts";
import { LONG, testSeed } from "../support/campaign.ts";
import { type Cluster, sleeper } from "./cluster.ts";
import { ConfigWriter } from "./config-writer.ts";
import { type LifeSigns, lifeSigns } from "./life-signs.ts";
import { mostAtOnce, timesAsked } from "./node-requests.ts";
import { Outage } from "./outage.ts";
import { type ReaderObjects, readerPod, readerReport, seenWrong } from "./reader-pod.ts";
import { differences, type Objects, objectsOf } from "./shown-files.ts";

const OBJECTS = LONG ? 1000 : 100;
const PODS = LONG ? 10 : 3;
const AWAY_MS = LONG ? 60_000 : 0;
const RESTARTS = LONG ? 20 : 2;
/** The long one is beyond the 45 s after which a connection without an answer is given up. */
const HANG_MS = LONG ? 75_000 : 2000;
/** Watches that a client lets begin side by side. */
const MOST_AT_ONCE = 32;
const isRoot = process.getuid?.() === 0;
const seed = testSeed();

const configMaps = Array.from({ length: (OBJECTS * 3) / 4 }, (_, i) => `cm-${i}`);
const secrets = Array.from({ length: OBJECTS / 4 }, (_, i) => `s-${i}`);
const followed: ReaderObjects = {
  configMap: "cm-0",
  secret: "s-0",
  projected: { configMap: "cm-1", secret: "s-1" },
};

describe(`a node whose server is away (seed ${seed})`, {
  skip: isRoot ? false : "containers need root here",
}, () => {
  const random = seededRandom(seed);
  let outage: Outage;
  let cluster: Cluster;
  let writer: ConfigWriter;
  let names: readonly string[];
  let lives: readonly LifeSigns[];
  before(async () => {
    outage = await Outage.start();
    cluster = outage.cluster;
    writer = new ConfigWriter({ cluster, random, configMaps, secrets, maxPauseMs: 10 });
    await writer.makeObjects();
    await cluster.makeConfigMap("tick", {});
    await cluster.makePod("reader", readerPod(followed));
    writer.addPod("reader");
    for (let i = 0; i < PODS; i++) await cluster.makePod(`many-${i}`, podOfMany(i));
    names = ["reader", ...Array.from({ length: PODS }, (_, i) => `many-${i}`)];
    const pods = await Promise.all(names.map((name) => cluster.podIn(name, "Running")));
    lives = pods.flatMap((pod) => lifeSigns(cluster.node, pod));
    await cluster.eventually("a reader at work", () => readerReport(cluster.node, pods[0] as Pod));
  });
  after(async () => {
    await outage?.[Symbol.asyncDispose]();
  });

  const allPods = (): Promise<readonly Pod[]> =>
    Promise.all(names.map((name) => cluster.pod(name)));

  const wrong = (pods: readonly Pod[], objects: Objects): readonly string[] =>
    pods.flatMap((pod) => differences(cluster.node, pod, objects));

  /** The same containers, and a reader that works and has nothing to complain about. */
  const checkLives = (pods: readonly Pod[]): void => {
    assert.deepEqual(
      pods.flatMap((pod) => lifeSigns(cluster.node, pod)),
      lives,
    );
    assert.equal(seenWrong(cluster.node, pods[0] as Pod), "");
  };

  const caughtUp = async (): Promise<void> => {
    const [objects, pods] = [await objectsOf(cluster), await allPods()];
    for (const pod of pods) {
      await cluster.eventually("its volumes as the server has them", () =>
        assert.deepEqual(wrong([pod], objects).slice(0, 3), []),
      );
    }
    checkLives(await allPods());
  };

  const heartbeat = async (sinceMs: number): Promise<void> => {
    const { name } = cluster.node;
    await cluster.eventually("a heartbeat", async () => {
      const path = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`;
      const { spec } = await cluster.ask<Lease>("GET", path);
      assert.ok(Date.parse(spec?.renewTime ?? "") > sinceMs);
    });
    const node = await cluster.ask<Node>("GET", `/api/v1/nodes/${name}`);
    const ready = node.status?.conditions?.find(({ type }) => type === "Ready");
    assert.equal(ready?.status, "True");
  };

  /** So many requests for each object that is followed, or a few more, and few side by side. */
  const noStampede = (perObject: number, atOnce: number = MOST_AT_ONCE): void => {
    const requests = outage.requests.since();
    const watches = requests.filter(({ verb }) => verb === "watch" || verb === "list");
    for (const [resource, all] of [
      ["configmaps", configMaps],
      ["secrets", secrets],
    ] as const) {
      const times = timesAsked(requests, ["watch", "list", "get"], resource);
      const sum = [...times.values()].reduce((x, y) => x + y, 0);
      assert.ok(
        sum <= 1.1 * perObject * all.length,
        `${sum} requests for ${all.length} ${resource}`,
      );
      const most = Math.max(0, ...times.values());
      assert.ok(most <= perObject + 2, `${most} requests for one of the ${resource}`);
    }
    assert.ok(mostAtOnce(watches) <= atOnce, `${mostAtOnce(watches)} at once`);
    assert.deepEqual(
      requests.filter(({ code }) => code === 429),
      [],
    );
  };

  it(`G3 catches up with ${OBJECTS} objects whose history is forgotten, without a stampede`, async () => {
    const early = await objectsOf(cluster);
    const pods = await allPods();
    const version = pods[0]?.metadata.resourceVersion ?? "";
    const isForgotten = async (): Promise<boolean> => {
      const query = `watch=1&timeoutSeconds=1&resourceVersion=${version}`;
      const { text } = await cluster.server.fetch("GET", `/api/v1/configmaps?${query}`);
      return /"code":410/.test(text);
    };
    /** The past is forgotten when the next two seconds begin, if something happens in them. */
    const passTime = async (): Promise<void> => {
      for (let i = 0; i < 25; i++) {
        await cluster.change("configmaps/tick", { data: { at: String(i) } });
        await sleep(100);
      }
    };
    await outage.leave("kill");
    await outage.behind(async () => {
      await writer.changeAll();
      await passTime();
    });
    // On a busy machine it may take longer. Only a server that was just started has nothing but its store.
    for (let isOver = false; !isOver; ) {
      await outage.behind(async () => {
        isOver = await isForgotten();
        if (!isOver) await passTime();
      });
    }
    await sleep(AWAY_MS);
    assert.deepEqual(wrong(pods, early), [], "G4 volumes stay as they were");

    await outage.comeBack();

    assert.ok(await isForgotten(), "history is forgotten");
    await caughtUp();
    // One watch that is told that its version is too old, one that begins anew.
    noStampede(2);
  });

  it("ends pods that were deleted meanwhile, and tells of containers that ended", async () => {
    const signal = { name: "signal", emptyDir: {} };
    const waiting = sleeper({
      command: ["sh", "-c", "while [ ! -e /signal/go ]; do sleep 0.05; done; exit 5"],
      volumeMounts: [{ name: "signal", mountPath: "/signal" }],
    });
    const [ends, leaves, vanishes] = await Promise.all([
      cluster.runningPod("ends", {
        restartPolicy: "Never",
        containers: [waiting],
        volumes: [signal],
      }),
      cluster.runningPod("leaves", {}),
      cluster.runningPod("vanishes", {}),
    ]);
    const pids = [leaves, vanishes].map((pod) => cluster.node.containerPid(pod));
    const ended = cluster.node.containerPid(ends);
    await outage.leave("stop");
    writeFileSync(join(cluster.node.volumePath(ends, "empty-dir", "signal"), "go"), "");
    await cluster.eventually("its end", () => assert.ok(!existsSync(`/proc/${ended}`)));
    await outage.behind(async () => {
      await cluster.delete("pods/leaves");
      await cluster.delete("pods/vanishes?gracePeriodSeconds=0");
      for (const pid of pids) assert.ok(existsSync(`/proc/${pid}`));
    });
    const backMs = Date.now();

    await outage.comeBack();

    const { status } = await cluster.podIn("ends", "Failed");
    assert.equal(status.containerStatuses?.[0]?.state.terminated?.exitCode, 5);
    await cluster.podGone("leaves");
    await cluster.podGone("vanishes");
    for (const pid of pids) {
      await cluster.eventually("their end", () => assert.ok(!existsSync(`/proc/${pid}`)));
    }
    const directory = join(cluster.node.dataDir, "pods", vanishes.metadata.uid ?? "");
    await cluster.eventually("its directory gone", () => assert.ok(!existsSync(directory)));
    await heartbeat(backMs);
    checkLives(await allPods());
    await cluster.delete("pods/ends");
    await cluster.podGone("ends");
  });

  it(`G3 follows updates through ${RESTARTS} restarts of the server`, async () => {
    writer.start();
    const writes = writer.writes;
    for (let i = 0; i < RESTARTS; i++) {
      await outage.leave(random.next() < 0.5 ? "stop" : "kill");
      await sleep(random.next() * 500);
      await outage.comeBack();
      await sleep(random.next() * 1000);
    }
    await writer.pause();
    assert.ok(writer.writes > writes);
    await caughtUp();
    noStampede(2);
  });

  it("G4 keeps its volumes while the server hangs, and follows again when it goes on", async () => {
    const [objects, pods] = [await objectsOf(cluster), await allPods()];
    const { process: server } = cluster.server;
    const { rounds } = readerReport(cluster.node, pods[0] as Pod);
    outage.requests.mark();
    server.kill("SIGSTOP");
    try {
      await sleep(HANG_MS);
      assert.deepEqual(wrong(pods, objects), []);
      checkLives(pods);
      await cluster.eventually("a reader that goes on", () =>
        assert.ok(readerReport(cluster.node, pods[0] as Pod).rounds > rounds),
      );
    } finally {
      server.kill("SIGCONT");
    }
    const backMs = Date.now();
    await writer.changeAll();
    await caughtUp();
    await heartbeat(backMs);
    // It reads what was sent over the connection that was given up, and over the new one.
    noStampede(2, 2 * MOST_AT_ONCE);
  });

  it("keeps everything when the agent dies too, and catches up when both are back", async () => {
    const [objects, pods] = [await objectsOf(cluster), await allPods()];
    await outage.leave("kill");
    await cluster.node.kill();
    await outage.behind(() => writer.changeAll());
    await cluster.node.restart();
    // Long enough for an agent that took silence for an answer.
    await sleep(1500);
    assert.deepEqual(wrong(pods, objects), []);
    checkLives(pods);

    await outage.comeBack();

    await caughtUp();
    noStampede(1);
  });
});

/** An equal part of all objects, in one volume. */
function podOfMany(index: number): Parameters<Cluster["makePod"]>[1] {
  const part = (all: readonly string[]): readonly string[] =>
    all.filter((_, i) => i % PODS === index);
  return {
    containers: [sleeper({ volumeMounts: [{ name: "all", mountPath: "/etc/all" }] })],
    volumes: [
      {
        name: "all",
        projected: {
          sources: [
            ...part(configMaps).map((name) => ({ configMap: { name } })),
            ...part(secrets).map((name) => ({ secret: { name } })),
          ],
        },
      },
    ],
  };
}
