// status and --wait on reports that are written by hand: they never say more than is known.

import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { Verbs } from "../cli/verbs.ts";
import { driftless } from "../identity/command.ts";
import { has, ReportedCluster } from "./reported-cluster.ts";

describe("driftless status by what nodes report", { concurrency: 2 }, () => {
  let cluster: ReportedCluster;
  let verbs: Verbs;
  before(async () => {
    cluster = await ReportedCluster.start();
    verbs = new Verbs(cluster.server.kubeconfig);
  });
  after(() => cluster[Symbol.asyncDispose]());

  async function states(namespace: string): Promise<readonly string[]> {
    const { stdout } = await verbs.run("status", "-n", namespace, "-o", "json");
    const { objects } = JSON.parse(stdout) as {
      objects: { consumers: { pod: string; state: string; reason: string }[] }[];
    };
    return objects.flatMap(({ consumers }) =>
      consumers.map(({ pod, state, reason }) => `${pod} ${state} ${reason}`.trimEnd()),
    );
  }

  it("G5 believes neither old reports, nor those of a node that is away, nor none", async () => {
    await cluster.namespace("doubts");
    const old = await cluster.configMap("doubts", { a: "1" });
    for (const name of ["good", "old", "away", "mute"]) await cluster.pod("doubts", name);
    for (const name of ["good", "old", "away"]) await cluster.report("doubts", name, has(old));
    const now = await cluster.configMap("doubts", { a: "2" });
    await cluster.report("doubts", "good", has(now));
    deepEqual(await states("doubts"), [
      "away Unknown NodeAway",
      "good InSync",
      "mute Unknown",
      "old Behind",
    ]);
    const { code, stdout } = await verbs.run("status", "-n", "doubts");
    equal(code, 1);
    match(
      stdout,
      /^1 of 4 in sync; 1 behind: volume of pod\/old; 2 unknown: volume of pod\/away, /m,
    );
    match(
      stdout,
      /away web \/etc\/app: NodeAway: node away is not ready since 2026-01-02T03:04:05Z/,
    );
  });

  it("names what a policy rejects, and what is frozen", async () => {
    await cluster.namespace("drift");
    const hash = await cluster.configMap("drift", { a: "1" });
    const old = { ...has(hash), onDisk: { hash: "0".repeat(64) } };
    for (const [name, reason] of [
      ["bad", "GateRejected"],
      ["full", "WriteFailed"],
      ["still", "SubPathFrozen"],
    ] as const) {
      await cluster.pod("drift", name);
      const drift = { reason, message: `mend ${name}` };
      await cluster.report("drift", name, { ...old, drift });
    }
    deepEqual(await states("drift"), [
      "bad Rejected GateRejected",
      "full Behind WriteFailed",
      "still Frozen SubPathFrozen",
    ]);
    const { stdout } = await verbs.run("status", "cm/app", "-n", "drift", "-o", "wide");
    match(
      stdout,
      /^ {2}bad +web \/etc\/app +0000000000 .* rejected +GateRejected +pod\/bad +here +mend bad$/m,
    );
  });

  it("ends with 0 for everybody in sync, 1 for what is not there, 2 for what means nothing", async () => {
    await cluster.namespace("codes");
    const hash = await cluster.configMap("codes", { a: "1" });
    await cluster.pod("codes", "one");
    await cluster.report("codes", "one", has(hash));
    const code = async (...words: readonly string[]): Promise<number | null> =>
      (await verbs.run("status", "-n", "codes", ...words)).code;
    const missing = await verbs.run("status", "-n", "codes", "cm/none");
    match(missing.stderr, /^Error from server \(NotFound\): configmaps "none" not found$/m);
    deepEqual(
      [
        await code(),
        await code("cm/app"),
        await code("pod/one", "-o", "yaml"),
        missing.code,
        await code("pod/none"),
        await code("ns/default"),
        await code("app"),
        await code("cm/app", "--all"),
        await code("cm/app", "-o", "colour"),
        await code("--wait", "--timeout", "soon"),
      ],
      [0, 0, 0, 1, 1, 1, 2, 2, 2, 2],
    );
  });

  it("--wait is not content with reports from before, and returns with the last", async () => {
    await cluster.namespace("waits");
    const old = await cluster.configMap("waits", { a: "1" });
    for (const name of ["one", "two"]) {
      await cluster.pod("waits", name);
      await cluster.report("waits", name, has(old));
    }
    const now = await cluster.configMap("waits", { a: "2" });
    using session = verbs.start("status", "cm/app", "-n", "waits", "--wait", "--timeout", "60s");
    await session.says(
      /^0\/2 have [0-9a-f]{10}, waiting for one web \/etc\/app \(behind\) and 1 more$/m,
    );
    await cluster.report("waits", "one", has(now));
    await session.says(/^1\/2 have .*, waiting for two web \/etc\/app \(behind\)$/m);
    // A later version counts from when it is there.
    const newest = await cluster.configMap("waits", { a: "3" });
    await session.says(new RegExp(`^0/2 have ${newest.slice(0, 10)}`, "m"));
    await cluster.report("waits", "two", has(newest));
    await cluster.report("waits", "one", has(newest));
    const { code, stdout } = await session.ended();
    deepEqual([code, stdout], [0, "2 of 2 in sync\n"]);
  });

  it("--wait waits for a rollout that has no pods yet, and for a pod that nobody reports on", async () => {
    await cluster.namespace("rollout");
    const hash = await cluster.configMap("rollout", { a: "1" });
    const labels = { app: "api" };
    const volumes = [{ name: "app", configMap: { name: "app" } }];
    const container = { name: "web", image: "host" };
    const mounts = [{ name: "app", mountPath: "/etc/app" }];
    const deployments = "/apis/apps/v1/namespaces/rollout/deployments";
    await cluster.send("POST", deployments, {
      metadata: { name: "api" },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { volumes, containers: [{ ...container, volumeMounts: mounts }] },
        },
      },
    });
    using session = verbs.start("status", "cm/app", "-n", "rollout", "--wait", "--timeout", "60s");
    await session.says(
      /^0\/0 have .*, waiting for deployment\/api: its rollout has not begun yet$/m,
    );
    await cluster.pod("rollout", "one");
    await session.says(/^0\/1 have .*, waiting for one web \/etc\/app \(unknown\)$/m);
    const status = { observedGeneration: 1, replicas: 1, updatedReplicas: 1 };
    await cluster.send("PATCH", `${deployments}/api/status`, { status });
    await cluster.report("rollout", "one", has(hash));
    equal((await session.ended()).code, 0);
  });

  it("--wait ends with 1 when the time is over, and says at once what is in the way", async () => {
    await cluster.namespace("late");
    const hash = await cluster.configMap("late", { a: "1" });
    await cluster.pod("late", "bad");
    const drift = { reason: "GateRejected", message: "the check json failed" };
    const onDisk = { hash: "0".repeat(64) };
    await cluster.report("late", "bad", { ...has(hash), onDisk, drift });
    const script = ["status", "cm/app", "-n", "late", "--wait", "--timeout", "1s", "-o", "json"];
    const { code, stdout, stderr } = await verbs.run(...script);
    equal(code, 1);
    match(stderr, /^In the way: volume of pod\/bad: GateRejected: the check json failed$/m);
    match(stderr, /^error: not everyone has [0-9a-f]{10} after 1 s:$/m);
    match(stderr, /^ {2}bad web \/etc\/app is rejected: GateRejected: the check json failed$/m);
    const { inSync } = JSON.parse(stdout) as { readonly inSync: boolean };
    equal(inSync, false);
  });

  it("G9 answers whoever may not read a Secret by what nodes report, and says so", async () => {
    using directory = tempDir();
    await cluster.namespace("secrets");
    const hash = await cluster.secret("secrets", { password: "hunter2" });
    await cluster.pod("secrets", "one", "secret");
    await cluster.report("secrets", "one", { kind: "Secret", ...has(hash) });
    const file = join(directory.path, "kubeconfig");
    const { dataDir } = cluster.server;
    const made = await driftless("user", "create", "eve", "--data-dir", dataDir, "--output", file);
    equal(made.code, 0, made.stderr);
    await cluster.send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      metadata: { name: "eve" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "eve" }],
    });
    const own = await verbs.run("status", "secret/app", "-n", "secrets");
    deepEqual([own.code, /^Note: You may not read Secrets/m.test(own.stdout)], [0, false]);
    const eves = new Verbs(file);
    const { code, stdout, stderr } = await eves.run("status", "secret/app", "-n", "secrets");
    equal(code, 0, stderr);
    match(stdout, /^secret\/app {2}may not be read$/m);
    match(stdout, /^Note: You may not read Secrets: what nodes say/m);
    doesNotMatch(own.stdout + stdout + stderr, /hunter2|aHVudGVyM/);
  });
});
