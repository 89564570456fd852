// What is left of a node when it is over, and what becomes of its containers when only the agent is.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { cgroupsOf } from "../support/agent-cgroups.ts";
import { mountsBelow, processesBelow } from "../support/driftless-node.ts";
import { Cluster, type PodParts, sleeper } from "./cluster.ts";

const isRoot = process.getuid?.() === 0;
const skip = isRoot ? false : "containers need root here";

const parts: PodParts = {
  containers: [
    sleeper({
      volumeMounts: [
        { name: "config", mountPath: "/etc/config" },
        { name: "secret", mountPath: "/etc/secret" },
        { name: "config", mountPath: "/etc/one", subPath: "a" },
        { name: "scratch", mountPath: "/scratch" },
      ],
    }),
  ],
  volumes: [
    { name: "config", configMap: { name: "app" } },
    { name: "secret", secret: { secretName: "key" } },
    { name: "scratch", emptyDir: { medium: "Memory" } },
  ],
};

async function withPod(cluster: Cluster): Promise<void> {
  await cluster.makeConfigMap("app", { data: { a: "one" } });
  await cluster.makeSecret("key", { stringData: { k: "v" } });
  await cluster.runningPod("web", parts);
}

describe("a node", { skip }, () => {
  it("that is drained while its agent runs leaves no process, mount or file", async () => {
    using dir = tempDir();
    // What is not the node's stays.
    writeFileSync(join(dir.path, "precious"), "");
    await using cluster = await Cluster.start({ node: { dataDir: dir.path } });
    await withPod(cluster);
    const output = await cluster.node.drain();
    assert.match(output, /node-1 is drained: 1 pod and 1 container ended/);
    assert.deepEqual(readdirSync(dir.path), ["precious"]);
    assert.deepEqual(mountsBelow(dir.path), []);
    assert.deepEqual(cgroupsOf(dir.path), []);
    await cluster.eventually("the end of the agent", () => {
      assert.equal(cluster.node.isRunning, false);
      assert.deepEqual(processesBelow(dir.path), []);
    });
    const { status } = await cluster.podIn("web", "Failed");
    assert.equal(status?.reason, "Terminated");
    assert.deepEqual(
      status?.containerStatuses?.map(({ ready, started }) => [ready, started]),
      [[false, false]],
    );
    const unready = status?.conditions?.filter((one) => one.status !== "True") ?? [];
    assert.deepEqual(
      unready.map(({ type, reason }) => [type, reason]),
      [
        ["Ready", "PodFailed"],
        ["ContainersReady", "PodFailed"],
      ],
    );
  });

  it("that is drained after its agent was killed leaves nothing either, and keeps manifests", async () => {
    using dir = tempDir();
    mkdirSync(join(dir.path, "manifests"));
    writeFileSync(join(dir.path, "manifests", "mine.txt"), "");
    await using cluster = await Cluster.start({ node: { dataDir: dir.path } });
    await withPod(cluster);
    await cluster.node.kill();
    await cluster.node.drain();
    assert.deepEqual(readdirSync(dir.path), ["manifests"]);
    assert.deepEqual(mountsBelow(dir.path), []);
    assert.deepEqual(processesBelow(dir.path), []);
    assert.deepEqual(cgroupsOf(dir.path), []);
  });

  it("whose agent is stopped and started again has the same containers, with their logs", async () => {
    await using cluster = await Cluster.start();
    await cluster.makeConfigMap("app", { data: { a: "one" } });
    await cluster.makeSecret("key", { stringData: { k: "v" } });
    const command = ["sh", "-c", "while sleep 0.1; do cat /etc/config/a; echo; done"];
    const [main = sleeper()] = parts.containers ?? [];
    const pod = await cluster.runningPod("talker", {
      ...parts,
      containers: [{ ...main, command }],
    });
    const pid = cluster.node.containerPid(pod);
    const log = join(cluster.node.dataDir, `logs/default_talker_${pod.metadata.uid}/main/0.log`);
    await cluster.eventually("the old content in the log", () => {
      assert.match(readFileSync(log, "utf8"), /stdout F one\n/);
    });
    await cluster.node.stop();
    assert.ok(existsSync(`/proc/${pid}`));
    await cluster.change("configmaps/app", { data: { a: "two" } });
    await cluster.node.restart();
    await cluster.eventually("the new content in the log", () => {
      assert.match(readFileSync(log, "utf8"), /stdout F two\n/);
    });
    assert.match(readFileSync(log, "utf8"), /stdout F one\n/);
    const again = await cluster.podIn("talker", "Running");
    assert.equal(cluster.node.containerPid(again), pid);
    assert.equal(again.status?.containerStatuses?.[0]?.restartCount, 0);
  });

  it("has one agent: a second one on the same directory is refused", async () => {
    await using cluster = await Cluster.start();
    await assert.rejects(cluster.node.restart(), /an agent runs on it \(pid \d+\)/);
  });
});
