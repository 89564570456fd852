// Two API servers on one etcd: a node has its tunnel to the one that it joined, and is reached by the other on its port.

import { equal, match } from "node:assert/strict";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { etcdBinary } from "../etcd/etcd-binaries.ts";
import { EtcdCluster } from "../etcd/etcd-cluster.ts";
import { DriftlessNode } from "../support/driftless-node.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import { Cluster } from "./cluster.ts";
import { Kubectl } from "./kubectl-session.ts";

const found = await etcdBinary("3.5");

describe("A second server", { skip: found.ok ? false : found.reason }, () => {
  it("reaches a node that listens, and says what to do about one that does not", async (t) => {
    if (!found.ok) return;
    const kubectlPath = await Kubectl.of("1.36", "");
    if (typeof kubectlPath === "string") return t.skip(kubectlPath);
    await using stack = new AsyncDisposableStack();
    const etcd = stack.use(await EtcdCluster.start({ binary: found.path }));
    const directory = stack.use(tempDir());
    const start = async (name: string): Promise<DriftlessServer> => {
      const dataDir = join(directory.path, name);
      mkdirSync(dataDir, { recursive: true });
      if (name !== "one") {
        for (const kept of ["pki", "encryption.key"]) {
          const from = join(directory.path, "one", kept);
          cpSync(from, join(dataDir, kept), { recursive: true, force: true });
        }
      }
      const flags = ["--store", `etcd:${etcd.endpoints.join(",")}`];
      return stack.use(await DriftlessServer.start({ dataDir, flags }));
    };
    const one = await start("one");
    const two = await start("two");
    const nodeFlags = ["--listen", "127.0.0.1:0", "--address", "127.0.0.1"];
    const cluster = stack.use(await Cluster.of(one, { name: "listens", flags: nodeFlags }));
    const silent = stack.use(await DriftlessNode.start({ server: one, name: "silent" }));
    const shout = ["sh", "-c", "echo here; trap 'exit 0' TERM; sleep infinity & wait"];
    const container = { name: "main", image: "host", command: shout, resources: {} };
    await cluster.runningPod("web", { containers: [container] });
    await cluster.runningPod("quiet", { nodeName: silent.name, containers: [container] });
    const viaTwo = await Kubectl.of("1.36", two.kubeconfig);
    if (typeof viaTwo === "string") return;
    await cluster.eventually("the port in the Node's status", async () => {
      const { code, stdout } = await viaTwo.run("logs", "web");
      equal(code, 0);
      equal(stdout, "here\n");
    });
    const ran = await viaTwo.run("exec", "web", "--", "echo", "from the other server");
    equal(ran.stdout, "from the other server\n");
    const refused = await viaTwo.run("logs", "quiet");
    match(refused.stderr, /node "silent": it has no tunnel to this server.*--listen/);
    const viaOne = await Kubectl.of("1.36", one.kubeconfig);
    if (typeof viaOne === "string") return;
    await cluster.eventually("its words", async () =>
      equal((await viaOne.run("logs", "quiet")).stdout, "here\n"),
    );
  });
});
