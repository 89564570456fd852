// G5: every reason for which a consumer may not have what it should, brought about with real pods: its view says it, `driftless status` names it
// and ends with 1, and both are content again when it is mended. How long it took is told, not judged.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import type { Node, Pod } from "../../src/api/types.ts";
import { Cluster, type PodParts, sleeper } from "../agent/cluster.ts";
import { logText } from "../agent/container-log.ts";
import { Verbs } from "../cli/verbs.ts";
import { cannotRun } from "../runtime/live-runtime.ts";
import { DriftlessControllers } from "../support/driftless-controllers.ts";
import { DriftlessNode } from "../support/driftless-node.ts";
import { SmallDisk } from "./small-disk.ts";
import { saysInSync, ViewWatch } from "./view-watch.ts";

const library = new URL("../../packages/config/src/index.js", import.meta.url).href;
const policies = "/apis/driftless.dev/v1/namespaces/default/deliverypolicies";

interface Situation {
  readonly pod: string;
  /** Of the use that drifts. */
  readonly how: "args" | "env" | "subPath" | "volume";
  readonly reason: string;
  /** What its message must say of the cure. */
  readonly says: RegExp;
  readonly make: () => unknown;
  readonly mend: () => unknown;
}

describe("G5 drift", { skip: cannotRun }, () => {
  let disk: SmallDisk;
  let cluster: Cluster;
  let controllers: DriftlessControllers;
  let far: DriftlessNode;
  let watch: ViewWatch;
  let verbs: Verbs;

  before(async () => {
    disk = SmallDisk.make();
    cluster = await Cluster.start({ node: { dataDir: disk.dataDir } });
    const { server } = cluster;
    controllers = new DriftlessControllers({
      dataDir: server.dataDir,
      flags: ["--no-leader-elect"],
    });
    await controllers.atWork();
    far = await DriftlessNode.start({ server, name: "far" });
    watch = await ViewWatch.start(server);
    verbs = new Verbs(server.kubeconfig);
    await falls();
  });
  after(async () => {
    watch?.[Symbol.dispose]();
    await far?.[Symbol.asyncDispose]();
    await controllers?.[Symbol.asyncDispose]();
    await cluster?.node.kill();
    disk?.killContainers();
    await cluster?.[Symbol.asyncDispose]();
    disk?.[Symbol.dispose]();
  });

  /** It takes a while until a node that is silent counts as away: that begins first. */
  async function falls(): Promise<void> {
    await cluster.makeConfigMap("away", { data: { a: "1" } });
    // However long the others take, it is not evicted meanwhile.
    const tolerations = [{ operator: "Exists" }];
    await cluster.makePod("away", { ...mounted("away"), nodeName: "far", tolerations });
    await allInSync("away");
    process.kill(far.pid, "SIGSTOP");
  }

  const set = (name: string, data: Readonly<Record<string, string | null>>): Promise<unknown> =>
    cluster.change(`configmaps/${name}`, { data });
  const start = async (name: string, parts: PodParts, data = { a: "1" }): Promise<Pod> => {
    await cluster.makeConfigMap(name, { data });
    await cluster.runningPod(name, parts);
    await allInSync(name);
    return cluster.pod(name);
  };
  const startAnew = async (name: string, parts: PodParts): Promise<void> => {
    await cluster.delete(`pods/${name}`);
    await cluster.podGone(name);
    await cluster.runningPod(name, parts);
  };
  const allInSync = (pod: string): Promise<true> =>
    watch.until(`${pod} in sync`, () => {
      const uses = watch.uses(pod);
      return uses.length > 0 && uses.every(saysInSync) ? true : undefined;
    });

  async function comesAndGoes(t: TestContext, of: Situation): Promise<void> {
    const { pod, how, reason, says } = of;
    assert.equal((await verbs.run("status", `pod/${pod}`)).code, 0, "it is in sync at first");
    await of.make();
    const madeMs = performance.now();
    const drift = await watch.until(`${reason} of ${pod}`, () => {
      const found = watch.uses(pod).find((use) => use.how === how && use.drift?.reason === reason);
      return found?.drift;
    });
    const shownMs = performance.now() - madeMs;
    assert.match(drift.message ?? "", says);
    const named = await verbs.run("status", `pod/${pod}`);
    assert.equal(named.code, 1, named.stdout);
    assert.match(named.stdout, new RegExp(`\\b${reason}\\b`));

    await of.mend();
    const mendedMs = performance.now();
    await allInSync(pod);
    const clearMs = performance.now() - mendedMs;
    const { code, stdout } = await verbs.run("status", `pod/${pod}`);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /in sync/);
    t.diagnostic(
      `${reason} of a ${how}: in the view after ${Math.round(shownMs)} ms, out of it ${Math.round(clearMs)} ms after it was mended`,
    );
  }

  const level = (name: string): PodParts => ({
    containers: [sleeper({ env: [variable(name)] })],
  });

  it("EnvFrozen: an environment stays as it was", async (t) => {
    await start("env", level("env"));
    await comesAndGoes(t, {
      ...{ pod: "env", how: "env", reason: "EnvFrozen", says: /restart the pod/ },
      make: () => set("env", { a: "2" }),
      mend: () => startAnew("env", level("env")),
    });
  });

  it("ArgsFrozen: a command line stays as it was", async (t) => {
    const parts = {
      containers: [sleeper({ env: [variable("args")], args: ["$(LEVEL)"] })],
    };
    await start("args", parts);
    await comesAndGoes(t, {
      ...{ pod: "args", how: "args", reason: "ArgsFrozen", says: /restart the pod/ },
      make: () => set("args", { a: "2" }),
      mend: () => startAnew("args", parts),
    });
  });

  it("SubPathFrozen: a mount stays as it was, since its pod wants that", async (t) => {
    const parts = {
      ...mounted("still", "a"),
      annotations: { "driftless.dev/live-subpath": "false" },
    };
    await start("still", parts);
    await comesAndGoes(t, {
      ...{ pod: "still", how: "subPath", reason: "SubPathFrozen", says: /remove the annotation/ },
      make: () => set("still", { a: "2" }),
      mend: () => startAnew("still", parts),
    });
  });

  it("SubPathFrozen: a mount cannot be replaced, since something is mounted over its place", async (t) => {
    const pod = await start("covered", mounted("covered", "a"));
    const inside = (script: string): string => cluster.node.inContainer(pod, ["sh", "-c", script]);
    await comesAndGoes(t, {
      ...{ pod: "covered", how: "subPath", reason: "SubPathFrozen", says: /unmounted/ },
      make: async () => {
        // Not the file itself: what is mounted on that goes with the version that has it.
        inside("mount -t tmpfs none /etc/config");
        await set("covered", { a: "2" });
      },
      mend: async () => {
        inside("umount /etc/config");
        await refresh("covered");
      },
    });
  });

  it("SubPathFrozen is over by itself when what covers it goes with the version that it was mounted on", async () => {
    const pod = await start("briefly", mounted("briefly", "a"));
    const inside = (script: string): string => cluster.node.inContainer(pod, ["sh", "-c", script]);
    inside("echo mine > /tmp/mine; mount --bind /tmp/mine /etc/config/a; rm /tmp/mine");
    await set("briefly", { a: "2" });
    await cluster.eventually("the new content", () =>
      assert.equal(inside("cat /etc/config/a"), "2"),
    );
    await allInSync("briefly");
  });

  it("ImmutableRecreated: what could not change was made anew with other content", async (t) => {
    await cluster.makeConfigMap("fixed", { data: { a: "1" }, immutable: true });
    await cluster.runningPod("fixed", level("fixed"));
    await allInSync("fixed");
    await comesAndGoes(t, {
      ...{ pod: "fixed", how: "env", reason: "ImmutableRecreated", says: /new name/ },
      make: async () => {
        await cluster.delete("configmaps/fixed");
        await cluster.makeConfigMap("fixed", { data: { a: "2" }, immutable: true });
      },
      mend: () => startAnew("fixed", level("fixed")),
    });
  });

  it("GateRejected: the check of a policy fails", async (t) => {
    const checks = [{ name: "shape", keys: ["a"], format: "JSON" }];
    await policy("checked", { checks });
    await start("checked", mounted("checked"));
    await cluster.change("configmaps/checked", { metadata: { labels: { app: "checked" } } });
    await comesAndGoes(t, {
      ...{ pod: "checked", how: "volume", reason: "GateRejected", says: /check shape, key a/ },
      make: () => set("checked", { a: "{" }),
      mend: () => set("checked", { a: "{}" }),
    });
  });

  it("RolloutHeld: a policy is paused", async (t) => {
    await policy("held", { rollout: { paused: false } });
    await start("held", mounted("held"));
    await cluster.change("configmaps/held", { metadata: { labels: { app: "held" } } });
    const pause = (paused: boolean): Promise<unknown> =>
      cluster.ask(
        ...(["PATCH", `${policies}/held`, { spec: { rollout: { paused } } }] as const),
        "application/merge-patch+json",
      );
    await comesAndGoes(t, {
      ...{ pod: "held", how: "volume", reason: "RolloutHeld", says: /paused/ },
      make: async () => {
        await pause(true);
        await set("held", { a: "2" });
      },
      mend: () => pause(false),
    });
  });

  it("WriteFailed: the disk is full", async (t) => {
    await start("full", mounted("full"));
    let full: Disposable | undefined;
    try {
      await comesAndGoes(t, {
        ...{ pod: "full", how: "volume", reason: "WriteFailed", says: /no space left/ },
        make: async () => {
          full = disk.fill();
          await set("full", { a: "x".repeat(100_000) });
        },
        mend: () => full?.[Symbol.dispose](),
      });
    } finally {
      full?.[Symbol.dispose]();
    }
  });

  it("WriteFailed: a key that is needed is missing", async (t) => {
    const volumes = [
      {
        name: "config",
        configMap: { name: "keyless", items: [{ key: "a", path: "a" }] },
      },
    ];
    await start("keyless", { ...mounted("keyless"), volumes });
    await comesAndGoes(t, {
      ...{ pod: "keyless", how: "volume", reason: "WriteFailed", says: /last good content/ },
      make: () => set("keyless", { a: null, b: "1" }),
      mend: () => set("keyless", { a: "2" }),
    });
  });

  it("WriteFailed: the object is gone", async (t) => {
    await start("gone", mounted("gone"));
    await comesAndGoes(t, {
      ...{ pod: "gone", how: "volume", reason: "WriteFailed", says: /last good content/ },
      make: () => cluster.delete("configmaps/gone"),
      mend: () => cluster.makeConfigMap("gone", { data: { a: "2" } }),
    });
  });

  it("TamperedOnDisk: somebody else has changed the files", async (t) => {
    const pod = await start("tampered", mounted("tampered"));
    const file = join(cluster.node.volumePath(pod, "configmap", "config"), "..data", "a");
    await comesAndGoes(t, {
      ...{ pod: "tampered", how: "volume", reason: "TamperedOnDisk", says: /"a"/ },
      make: () => writeFileSync(file, "9"),
      mend: () => refresh("tampered"),
    });
    assert.equal(cluster.node.inContainer(pod, ["cat", "/etc/config/a"]), "1");
  });

  describe("of a program that speaks through the library", () => {
    let pod: Pod;
    before(async () => {
      const parse = '(s) => { if (s.text("a") === "bad") throw new Error("unfit"); }';
      const program = `import { watchConfig } from "${library}"; await watchConfig("/etc/config", { parse: ${parse}, onError() {} }); setInterval(() => {}, 1e6);`;
      const script = `trap 'exit 0' TERM; '${process.execPath}' --input-type=module -e '${program}' & echo "pid $!"; wait; sleep infinity & wait`;
      const parts = mounted("app");
      pod = await start("app", {
        ...parts,
        containers: [{ ...sleeper(), ...parts.containers?.[0], command: ["sh", "-c", script] }],
      });
      await confirmed();
    });

    const confirmed = (): Promise<true> =>
      watch.until("its word", () => {
        const [use] = watch.uses("app");
        return use?.confirmedBy === "Library" && use.applied?.hash === use.wanted?.hash
          ? true
          : undefined;
      });

    it("GateRejected: it refuses the content", async (t) => {
      await comesAndGoes(t, {
        ...{ pod: "app", how: "volume", reason: "GateRejected", says: /refuses.*unfit/ },
        make: () => set("app", { a: "bad" }),
        mend: async () => {
          await set("app", { a: "good" });
          await confirmed();
        },
      });
    });

    it("NotConfirmed: it hangs", async (t) => {
      const [, pid] = /^pid (\d+)$/m.exec(logText(cluster.node.dataDir, pod).join("\n")) ?? [];
      const tell = (signal: string): unknown =>
        cluster.node.inContainer(pod, ["kill", `-${signal}`, String(pid)]);
      await comesAndGoes(t, {
        ...{ pod: "app", how: "volume", reason: "NotConfirmed", says: /has not confirmed/ },
        make: async () => {
          tell("STOP");
          await set("app", { a: "3" });
        },
        mend: () => tell("CONT"),
      });
    });
  });

  it("NotConfirmed: it cannot be told", async (t) => {
    const pod = await start("told", {
      ...mounted("told"),
      annotations: { "driftless.dev/reload": "exec:test -e /tmp/fine-for-told" },
    });
    await comesAndGoes(t, {
      ...{ pod: "told", how: "volume", reason: "NotConfirmed", says: /could not be told/ },
      make: () => set("told", { a: "2" }),
      mend: () => cluster.node.inContainer(pod, ["touch", "/tmp/fine-for-told"]),
    });
    cluster.node.inContainer(pod, ["rm", "/tmp/fine-for-told"]);
  });

  it("NodeAway: the node is silent", async (t) => {
    await cluster.eventually("a node that is away", async () => {
      const { status } = await cluster.ask<Node>("GET", "/api/v1/nodes/far");
      const ready = status?.conditions?.find(({ type }) => type === "Ready");
      assert.equal(ready?.status, "Unknown", controllers.log);
    });
    const knownMs = performance.now();
    const drift = await watch.until("NodeAway", () => {
      const [use] = watch.uses("away");
      return use?.drift?.reason === "NodeAway" ? use.drift : undefined;
    });
    const shownMs = performance.now() - knownMs;
    assert.match(drift.message ?? "", /bring the node back/);
    const named = await verbs.run("status", "pod/away");
    assert.equal(named.code, 1, named.stdout);
    assert.match(named.stdout, /NodeAway/);

    await set("away", { a: "2" });
    process.kill(far.pid, "SIGCONT");
    const mendedMs = performance.now();
    await allInSync("away");
    const clearMs = performance.now() - mendedMs;
    const { code, stdout } = await verbs.run("status", "pod/away");
    assert.equal(code, 0, stdout);
    assert.equal(far.inContainer(await cluster.pod("away"), ["cat", "/etc/config/a"]), "2");
    t.diagnostic(
      `NodeAway: in the view ${Math.round(shownMs)} ms after the node was known to be away, out of it ${Math.round(clearMs)} ms after it was back`,
    );
  });

  it("is over everywhere at the end", async () => {
    const { code, stdout } = await verbs.run("status");
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^(\d+) of \1 in sync$/m);
  });

  /** Any look at the pod refreshes its volumes: the next sync would, or this. */
  const refresh = (pod: string): Promise<unknown> =>
    cluster.change(`pods/${pod}`, { metadata: { annotations: { touched: String(Date.now()) } } });

  const policy = (name: string, spec: object): Promise<unknown> =>
    cluster.ask("POST", policies, {
      metadata: { name },
      spec: { selector: { matchLabels: { app: name } }, ...spec },
    });
});

function variable(configMap: string): {
  readonly name: string;
  readonly valueFrom: { readonly configMapKeyRef: { readonly name: string; readonly key: string } };
} {
  return { name: "LEVEL", valueFrom: { configMapKeyRef: { name: configMap, key: "a" } } };
}

/** With all of a ConfigMap at /etc/config, or one key of it. */
function mounted(configMap: string, subPath?: string): PodParts {
  const volumeMounts = [
    subPath === undefined
      ? { name: "config", mountPath: "/etc/config" }
      : { name: "config", mountPath: `/etc/config/${subPath}`, subPath },
  ];
  return {
    containers: [sleeper({ volumeMounts })],
    volumes: [{ name: "config", configMap: { name: configMap } }],
  };
}
