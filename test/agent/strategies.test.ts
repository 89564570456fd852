// The strategies Cache and Get, seen from a container: by the kubelet's names, and with what is better here.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Cluster, sleeper } from "./cluster.ts";

const isRoot = process.getuid?.() === 0;
const skip = isRoot ? false : "containers need root here";
const config = {
  containers: [sleeper({ volumeMounts: [{ name: "config", mountPath: "/etc/config" }] })],
  volumes: [{ name: "config", configMap: { name: "app" } }],
};

describe("change detection", { skip }, () => {
  it("by Cache uses what it has, until the pod is annotated", async () => {
    // Longer than the test: what is seen was not seen by a round of the net.
    const flags = ["--change-detection", "Cache", "--sync-frequency", "1h"];
    await using cluster = await Cluster.start({ node: { flags } });
    await cluster.makeConfigMap("app", { data: { a: "one" } });
    const pod = await cluster.runningPod("cached", config);
    await cluster.change("configmaps/app", { data: { a: "two" } });
    await sleep(500);
    assert.equal(cluster.node.inContainer(pod, ["cat", "/etc/config/a"]), "one");
    await cluster.change("pods/cached", { metadata: { annotations: { refresh: "now" } } });
    await cluster.eventually("the new content", () => {
      assert.equal(cluster.node.inContainer(pod, ["cat", "/etc/config/a"]), "two");
    });
  });

  it("by Get asks with every sync", async () => {
    const flags = ["--change-detection", "Get", "--sync-frequency", "1s"];
    await using cluster = await Cluster.start({ node: { flags } });
    await cluster.makeConfigMap("app", { data: { a: "one" } });
    const pod = await cluster.runningPod("asking", config);
    await cluster.change("configmaps/app", { data: { a: "two" } });
    await cluster.eventually("the new content", () => {
      assert.equal(cluster.node.inContainer(pod, ["cat", "/etc/config/a"]), "two");
    });
  });
});
