// What the server is told of what pods have: made with a real server, a real node and real containers.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import type { ConfigUse, ConfigView } from "../../src/api/types.ts";
import { Cluster, sleeper } from "../agent/cluster.ts";
import { kubectlBinary } from "../clients/kubectl-binaries.ts";

const isRoot = process.getuid?.() === 0;
const run = promisify(execFile);
const views = "/apis/driftless.dev/v1/namespaces/default/configviews";

describe("ConfigViews", { skip: isRoot ? false : "containers need root here" }, () => {
  let cluster: Cluster;

  before(async () => {
    cluster = await Cluster.start();
  });

  after(async () => {
    await cluster[Symbol.asyncDispose]();
  });

  /** The use by this way, when it is as it should be. */
  function useWhere(pod: string, how: string, is: (use: ConfigUse) => boolean): Promise<ConfigUse> {
    return cluster.eventually(`the ${how} of ${pod} in its view`, async () => {
      const view = await cluster.ask<ConfigView>("GET", `${views}/${pod}`);
      const use = view.uses?.find((one) => one.how === how);
      if (use === undefined || !is(use)) throw new Error(`it is ${JSON.stringify(view.uses)}`);
      return use;
    });
  }

  const isInSync = ({ wanted, onDisk, drift }: ConfigUse): boolean =>
    wanted !== undefined && wanted.hash === onDisk?.hash && drift === undefined;

  const readsLevel = [
    sleeper({
      env: [{ name: "LEVEL", valueFrom: { configMapKeyRef: { name: "env", key: "LEVEL" } } }],
    }),
  ];

  it("G5 say that an environment is frozen, if what it uses changed", async () => {
    await cluster.makeConfigMap("env", { data: { LEVEL: "info", OTHER: "1" } });
    await cluster.runningPod("env", { containers: readsLevel });
    const first = await useWhere("env", "env", isInSync);
    assert.equal(first.confirmedBy, "Start");
    assert.deepEqual(first.applied, first.onDisk);

    await cluster.change("configmaps/env", { data: { OTHER: "2" } });
    const other = await useWhere("env", "env", ({ wanted }) => wanted?.hash !== first.wanted?.hash);
    assert.ok(isInSync(other), "another key changes nothing for it");

    await cluster.change("configmaps/env", { data: { LEVEL: "debug" } });
    const drifted = await useWhere("env", "env", ({ drift }) => drift?.reason === "EnvFrozen");
    assert.notEqual(drifted.onDisk?.hash, drifted.wanted?.hash);
    assert.match(drifted.drift?.message ?? "", /LEVEL.*restart the pod/s);
  });

  it("keep the time of a drift over a restart of the agent, until the pod was made anew", async () => {
    const drifted = await useWhere("env", "env", ({ drift }) => drift?.reason === "EnvFrozen");
    const pod = await cluster.pod("env");
    await cluster.node.kill();
    await cluster.node.restart();
    await cluster.change("configmaps/env", { data: { LEVEL: "trace" } });
    const isNext = ({ wanted }: ConfigUse): boolean => wanted?.hash !== drifted.wanted?.hash;
    const later = await useWhere("env", "env", isNext);
    assert.equal(later.drift?.since, drifted.drift?.since);

    await cluster.delete("pods/env");
    await cluster.podGone("env");
    await cluster.runningPod("env", { containers: readsLevel });
    await useWhere("env", "env", (use) => isInSync(use) && isNext(use));
    const view = await cluster.ask<ConfigView>("GET", `${views}/env`);
    assert.notEqual(view.pod.uid, pod.metadata.uid);
    assert.equal(view.metadata.ownerReferences?.[0]?.uid, view.pod.uid);
  });

  it("G5 follow a volume and a subPath, with the time of each stage", async () => {
    await cluster.makeConfigMap("files", { data: { "app.yaml": "a: 1", motd: "hello" } });
    const volumeMounts = [
      { name: "config", mountPath: "/etc/app" },
      { name: "config", mountPath: "/etc/motd-of-app", subPath: "motd" },
    ];
    await cluster.runningPod("files", {
      volumes: [{ name: "config", configMap: { name: "files" } }],
      containers: [{ ...sleeper(), volumeMounts }],
    });
    const first = await useWhere("files", "volume", isInSync);
    await useWhere("files", "subPath", isInSync);

    await cluster.change("configmaps/files", { data: { motd: "good day" } });
    const isNew = (use: ConfigUse): boolean =>
      isInSync(use) && use.wanted?.hash !== first.wanted?.hash;
    const volume = await useWhere("files", "volume", isNew);
    assert.equal(volume.applied, undefined, "nobody has confirmed it");
    const { seen = "", gated = "", onDisk = "" } = volume.stages ?? {};
    assert.match(seen, /^\d{4}-.*\.\d{6}Z$/);
    assert.ok(seen <= gated && gated <= onDisk, JSON.stringify(volume.stages));
    const part = await useWhere("files", "subPath", (use) => isNew(use) || use.drift !== undefined);
    assert.deepEqual(part.keys, ["motd"]);
    if (part.drift) assert.equal(part.drift.reason, "SubPathFrozen");

    await cluster.delete("configmaps/files");
    const kept = await useWhere("files", "volume", ({ drift }) => drift?.reason === "WriteFailed");
    assert.equal(kept.wanted, undefined);
    assert.equal(kept.onDisk?.hash, volume.onDisk?.hash, "the last good content stays");
    await cluster.makeConfigMap("files", { data: { "app.yaml": "a: 1", motd: "good day" } });
    await useWhere("files", "volume", isInSync);

    await cluster.delete("pods/files");
    await cluster.eventually("the view gone", async () => {
      const { status } = await cluster.server.fetch("GET", `${views}/files`);
      assert.equal(status, 404);
    });
  });

  it("are shown by kubectl", async (t) => {
    const kubectl = await kubectlBinary("1.32");
    if (!kubectl.ok) return t.skip(kubectl.reason);
    await useWhere("env", "env", isInSync);
    const get = async (...flags: readonly string[]): Promise<string> => {
      const all = [
        "--kubeconfig",
        cluster.server.kubeconfig,
        "get",
        "configviews",
        "env",
        ...flags,
      ];
      return (await run(kubectl.path, all)).stdout;
    };
    assert.match(await get("-o", "yaml"), /confirmedBy: Start[\s\S]*seen: "\d{4}-[\s\S]*wanted:/);
    assert.match(await get(), /env +env +1\/1/);
  });

  it("are put right when somebody else changed or removed them", async () => {
    await cluster.makeSecret("word", { stringData: { word: "canary-of-views" } });
    await cluster.runningPod("lost", {
      volumes: [{ name: "word", secret: { secretName: "word" } }],
      containers: [
        {
          ...sleeper(),
          args: ["$(WORD)"],
          env: [{ name: "WORD", valueFrom: { secretKeyRef: { name: "word", key: "word" } } }],
          volumeMounts: [{ name: "word", mountPath: "/word" }],
        },
      ],
    });
    await useWhere("lost", "args", isInSync);
    const view = await cluster.ask<ConfigView>("GET", `${views}/lost`);
    assert.deepEqual(
      view.uses?.map(({ how }) => how),
      ["env", "args", "volume"],
    );
    assert.doesNotMatch(JSON.stringify(view), /canary/);

    const drift = { reason: "NodeAway", message: "m" };
    const uses = view.uses?.map((use) => ({ ...use, drift }));
    await cluster.ask("PUT", `${views}/lost`, { ...view, uses });
    await useWhere("lost", "env", isInSync);
    await cluster.ask("DELETE", `${views}/lost`);
    await useWhere("lost", "env", isInSync);
  });
});
