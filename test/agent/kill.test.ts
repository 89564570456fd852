// The agent is killed at random moments, over and over, while everything around it changes. Containers must not notice, volumes must
// catch up, and nothing may be left behind.

import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Pod } from "../../src/api/types.ts";
import { seededRandom } from "../../src/base/testing/seeded-random.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { LONG, testSeed } from "../support/campaign.ts";
import { Cluster, sleeper } from "./cluster.ts";
import { ConfigWriter } from "./config-writer.ts";
import { leftovers, openFiles } from "./leftovers.ts";
import { type LifeSigns, lifeSigns } from "./life-signs.ts";
import { Mayflies } from "./mayflies.ts";
import { NodeRequests, nodesPolicy } from "./node-requests.ts";
import {
  checkVariables,
  logLines,
  type ReaderObjects,
  readerPod,
  readerReport,
  seenWrong,
} from "./reader-pod.ts";
import { differences, objectsOf } from "./shown-files.ts";

const KILLS = LONG ? 250 : 10;
const CHECK_EACH = 5;
const isRoot = process.getuid?.() === 0;
const seed = testSeed();

const configMaps = ["cm-0", "cm-1", "cm-2"];
const secrets = ["s-0", "s-1", "s-2"];
const readers: Readonly<Record<string, ReaderObjects>> = {
  "reader-0": {
    configMap: "cm-0",
    secret: "s-0",
    projected: { configMap: "cm-2", secret: "s-2" },
  },
  "reader-1": {
    configMap: "cm-1",
    secret: "s-1",
    projected: { configMap: "cm-0", secret: "s-2" },
  },
};

describe(`an agent that is killed (seed ${seed})`, {
  skip: isRoot ? false : "containers need root here",
}, () => {
  const random = seededRandom(seed);
  let dir: TempDir;
  let cluster: Cluster;
  let writer: ConfigWriter;
  let lives: readonly LifeSigns[];
  let startMs = 0;
  before(async () => {
    dir = tempDir();
    dir.write({ "policy.yaml": nodesPolicy });
    const flags = ["--store", "memory", "--audit-policy-file", dir.join("policy.yaml")];
    cluster = await Cluster.start({ server: { flags } });
    writer = new ConfigWriter({ cluster, random, configMaps, secrets, maxPauseMs: 30 });
    await writer.makeObjects();
    for (const [name, objects] of Object.entries(readers)) {
      await cluster.makePod(name, readerPod(objects));
      writer.addPod(name);
    }
    const pods = await Promise.all(
      Object.keys(readers).map((name) => cluster.podIn(name, "Running")),
    );
    lives = pods.flatMap((pod) => lifeSigns(cluster.node, pod));
    for (const pod of pods) {
      await cluster.eventually("a reader at work", () => readerReport(cluster.node, pod));
    }
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
    dir?.[Symbol.dispose]();
  });

  const readerPods = (): Promise<readonly Pod[]> =>
    Promise.all(Object.keys(readers).map((name) => cluster.pod(name)));

  const restart = async (): Promise<void> => {
    const beganMs = performance.now();
    await cluster.node.restart();
    startMs = performance.now() - beganMs;
  };

  /** With no write on its way: everything is as the server has it, and the same containers run. */
  const checkAll = async (): Promise<void> => {
    const objects = await objectsOf(cluster);
    const pods = await readerPods();
    for (const pod of pods) {
      await cluster.eventually(`the volumes of ${pod.metadata.name} as the server has them`, () =>
        assert.deepEqual(differences(cluster.node, pod, objects), []),
      );
    }
    assert.deepEqual(
      pods.flatMap((pod) => lifeSigns(cluster.node, pod)),
      lives,
    );
    for (const pod of pods) {
      assert.equal(pod.status.phase, "Running");
      assert.equal(seenWrong(cluster.node, pod), "");
      const { rounds } = readerReport(cluster.node, pod);
      await cluster.eventually(`the reader of ${pod.metadata.name} at work`, () =>
        assert.ok(readerReport(cluster.node, pod).rounds > rounds),
      );
    }
  };

  /** It is killed before it is ready, or some time after. */
  const liveAndDie = async (): Promise<void> => {
    if (random.next() < 0.5) {
      const started = cluster.node.restart().catch((err: Error) => err.message);
      await Promise.race([sleep(random.next() * startMs), started]);
      await cluster.node.kill();
      const failure = await started;
      if (failure !== undefined) assert.match(failure, /with SIGKILL before it was ready/);
    } else {
      await restart();
      await sleep(random.next() * 400);
      await cluster.node.kill();
    }
  };

  /** It is looked at whether one that is left alone brings everything in order. */
  const liveLonger = async (mayflies: Mayflies): Promise<void> => {
    await restart();
    await writer.pause();
    await checkAll();
    writer.start();
    await mayflies.another();
    await sleep(random.next() * 200);
    await cluster.node.kill();
  };

  it(`G3 G4 loses no update and no container in ${KILLS} deaths`, async () => {
    const mayflies = new Mayflies({
      cluster,
      writer,
      random: seededRandom(seed + 1),
      configMap: "cm-1",
      secret: "s-1",
    });
    await cluster.node.kill();
    await restart();
    writer.start();
    mayflies.start();
    await cluster.node.kill();
    for (let i = 0; i < KILLS - 2; i++) {
      await (i % CHECK_EACH === CHECK_EACH - 1 ? liveLonger(mayflies) : liveAndDie());
    }
    await restart();
    for (const pod of await readerPods()) {
      await cluster.eventually("a reader that has seen many versions", () =>
        assert.ok(readerReport(cluster.node, pod).versions > KILLS),
      );
    }
    await writer.pause();
    await checkAll();
    await mayflies.end();

    assert.deepEqual(mayflies.wrong, []);
    for (const pod of await readerPods()) {
      checkVariables(cluster.node, pod, readers[pod.metadata.name ?? ""] as ReaderObjects);
      assertNoGap(logLines(cluster.node, pod));
    }
    console.log(`${writer.writes} writes, ${mayflies.lives} pods came and went`);
  });

  it("learns how a container ended while nobody looked, and has all that it wrote", async () => {
    const script =
      "echo begin; while [ ! -e /signal/go ]; do sleep 0.02; done; echo last words; exit 7";
    const pod = await cluster.runningPod("unseen", {
      restartPolicy: "Never",
      containers: [
        sleeper({
          command: ["sh", "-c", script],
          volumeMounts: [{ name: "signal", mountPath: "/signal" }],
        }),
      ],
      volumes: [{ name: "signal", emptyDir: {} }],
    });
    const pid = cluster.node.containerPid(pod);
    await cluster.node.kill();
    const beforeMs = Date.now();
    writeFileSync(join(cluster.node.volumePath(pod, "empty-dir", "signal"), "go"), "");
    await cluster.eventually("its end", () => assert.ok(!existsSync(`/proc/${pid}`)));
    const afterMs = Date.now();
    // Longer than times in the API are exact.
    await sleep(1100);
    await restart();

    const { status } = await cluster.podIn("unseen", "Failed");
    const [main] = status.containerStatuses ?? [];
    assert.equal(main?.state.terminated?.exitCode, 7);
    assert.equal(main.restartCount, 0);
    const finishedMs = Date.parse(main.state.terminated.finishedAt ?? "");
    assert.ok(finishedMs >= beforeMs - 1000 && finishedMs <= afterMs, `finished at ${finishedMs}`);
    assert.deepEqual(logLines(cluster.node, pod), ["begin", "last words"]);
    await cluster.delete("pods/unseen");
    await cluster.podGone("unseen");
  });

  it("leaves nothing behind of pods that are gone, not even of those of its former lives", async () => {
    const names = Object.keys(readers);
    const requests = new NodeRequests(cluster.server.dataDir);
    const ofObjects = (): readonly string[] =>
      requests
        .openWatches()
        .filter(({ resource }) => resource === "configmaps" || resource === "secrets")
        .map(({ resource, name }) => `${resource}/${name}`)
        .toSorted();
    await cluster.eventually("one watch for each object", () =>
      assert.deepEqual(ofObjects(), [
        ...configMaps.map((name) => `configmaps/${name}`),
        ...secrets.map((name) => `secrets/${name}`),
      ]),
    );

    await Promise.all(names.map((name) => cluster.delete(`pods/${name}`)));
    for (const name of names) await cluster.podGone(name);

    await cluster.eventually("nothing left", () => assert.deepEqual(leftovers(cluster.node), []));
    await cluster.eventually("no watch left", () => assert.deepEqual(ofObjects(), []));
    const files = openFiles(cluster.node.pid);
    await cluster.node.kill();
    await restart();
    // It has its threads then, as the old one.
    await cluster.runningPod("last", readerPod(readers["reader-0"] as ReaderObjects));
    await cluster.delete("pods/last");
    await cluster.podGone("last");
    await cluster.eventually("a new agent as the old one", () => {
      const fresh = openFiles(cluster.node.pid);
      assert.ok(files <= fresh + 3, `${files} open files, of a fresh agent ${fresh}`);
    });
  });
});

/** The reader tells of every tenth round. */
function assertNoGap(lines: readonly string[]): void {
  assert.deepEqual(
    lines.slice(0, -1),
    lines.slice(0, -1).map((_, i) => `round ${10 * i + 1}`),
  );
}
