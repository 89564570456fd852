// Under Driftless: what a `driftless sidecar` in a pod has made of mounted configuration, and told its app of, is in the pod's ConfigView; what it makes of objects
// that it reads itself is in Events on the pod.

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { ConfigUse, ConfigView, Container, Pod } from "../../src/api/types.ts";
import { Cluster, sleeper } from "../agent/cluster.ts";
import { cannotRun } from "../runtime/live-runtime.ts";
import { SidecarScene } from "./sidecar-process.ts";

const program = new URL("../../src/cmd/driftless.ts", import.meta.url).pathname;
const view = "/apis/driftless.dev/v1/namespaces/default/configviews/app";

/** Says no to everything with "bad" in it; the app is told by a file. */
const compose = {
  sources: { settings: "/etc/settings", one: { file: "/etc/extra/one" } },
  output: "/live",
  gate: { command: ["sh", "-c", '! grep -rn bad "$1"', "sh", "{dir}"] },
  reload: { actions: [{ command: ["cp", "/live/a", "/live/..told"] }] },
};

describe("a sidecar's word in the ConfigView", { skip: cannotRun, timeout: 240_000 }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await Cluster.start();
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  const use = async (name: string): Promise<ConfigUse> => {
    const { uses = [] } = await cluster.ask<ConfigView>("GET", view);
    const found = uses.find((one) => one.name === name && one.container === "sidecar");
    assert.ok(found, `its view has no use of ${name} yet`);
    return found;
  };
  const set = (a: string): Promise<unknown> => cluster.change("configmaps/app", { data: { a } });

  it("is the version that the app was told of, or why it is another", async () => {
    const mounts = [
      { name: "settings", mountPath: "/etc/settings" },
      { name: "extra", mountPath: "/etc/extra" },
      { name: "compose", mountPath: "/etc/compose" },
      { name: "live", mountPath: "/live" },
    ];
    const sidecar: Container = sleeper({
      ...{ name: "sidecar", restartPolicy: "Always", volumeMounts: mounts },
      command: [process.execPath, program, "sidecar", "-f", "/etc/compose/compose.yaml"],
      env: [{ name: "HOME", value: "/tmp" }],
    });
    await cluster.makeConfigMap("app", { data: { a: "1" } });
    await cluster.makeConfigMap("extra", { data: { one: "1", two: "2" } });
    await cluster.makeConfigMap("compose", { data: { "compose.yaml": JSON.stringify(compose) } });
    const pod: Pod = await cluster.runningPod("app", {
      initContainers: [sidecar],
      containers: [sleeper({ name: "main", volumeMounts: [{ name: "live", mountPath: "/live" }] })],
      volumes: [
        { name: "settings", configMap: { name: "app" } },
        { name: "extra", configMap: { name: "extra" } },
        { name: "compose", configMap: { name: "compose" } },
        { name: "live", emptyDir: {} },
      ],
    });
    const told = (): string => cluster.node.inContainer(pod, ["cat", "/live/..told"]);
    let last: string | undefined;
    const applied = async (a: string): Promise<void> => {
      last = await cluster.eventually(`the word for ${a}`, async () => {
        const { how, wanted, applied: has, confirmedBy, drift } = await use("app");
        assert.equal(told(), a);
        assert.equal(has?.hash, wanted?.hash);
        assert.notEqual(has?.hash, last);
        assert.deepEqual([how, confirmedBy, drift], ["volume", "Library", undefined]);
        return has?.hash;
      });
    };
    await applied("1");
    // Of one file of a volume, too.
    await cluster.eventually("the word for one file", async () => {
      const { wanted, applied: has } = await use("extra");
      assert.equal(has?.hash, wanted?.hash);
    });
    await set("2");
    await applied("2");
    await set("bad");
    await cluster.eventually("the refusal", async () => {
      const { wanted, applied: has, drift } = await use("app");
      assert.equal(has?.hash, last);
      assert.notEqual(wanted?.hash, last);
      assert.equal(drift?.reason, "GateRejected");
      assert.match(drift?.message ?? "", /the gate command "sh" ended with 1/);
    });
    assert.equal(told(), "2");
    await set("3");
    await applied("3");
  });

  it("is in Events, too, when it reads objects through the API and refuses them", async () => {
    await using scene = new SidecarScene();
    await cluster.makeConfigMap("direct", { data: { a: "1" } });
    await cluster.makeSecret("hidden", { stringData: { key: "hunter2" } });
    const { uid } = (await cluster.runningPod("reader", {})).metadata;
    const compose = {
      sources: { direct: { configMap: "direct" }, hidden: { secret: "hidden" } },
      output: scene.join("out"),
      gate: { command: ["sh", "-c", '! grep -rn bad "$1"', "sh", "{dir}"] },
    };
    const env = {
      ...{ KUBECONFIG: cluster.server.kubeconfig, POD_NAME: "reader", POD_NAMESPACE: "default" },
      POD_UID: uid,
    };
    scene.start(compose, [], env);
    await scene.until("it is live", () => scene.read("out/key") === "hunter2");
    assert.equal(statSync(scene.join("out/key")).mode & 0o777, 0o600);
    await cluster.change("configmaps/direct", { data: { a: "2" } });
    await scene.until("the change is live", () => scene.read("out/a") === "2");
    await cluster.change("configmaps/direct", { data: { a: "bad" } });
    await cluster.eventually("the event", async () => {
      const found = (await cluster.events("reader")).find((one) => one.reason === "ConfigRejected");
      // No word of the gate itself: there is a Secret in the set.
      assert.equal(found?.message, 'the gate command "sh" ended with 1');
      assert.equal(found.type, "Warning");
    });
    assert.equal(scene.read("out/a"), "2");
    // Deleted: what is live stays, and it is said.
    await cluster.delete("configmaps/direct");
    await scene.until("it is missed", () => scene.log.includes("its last content is kept"));
    assert.equal(scene.read("out/a"), "2");
    assert.equal(scene.log.includes("hunter2"), false);
  });
});
