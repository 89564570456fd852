// A node that any user can run: in a user namespace that outlives the agent.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { after, before, describe, it, type TestContext } from "node:test";
import { ensureDebianPackages } from "../../tools/debian.ts";
import { kubectlBinary } from "../clients/kubectl-binaries.ts";
import { mountsBelow, processesBelow } from "../support/driftless-node.ts";
import { Cluster, sleeper } from "./cluster.ts";
import { Kubectl } from "./kubectl-session.ts";
import { Tmux } from "./tmux.ts";

const UID = 12_345;
const program = new URL("../../src/cmd/driftless.ts", import.meta.url).pathname;

/** Why it cannot be tried here; false if it can. */
function obstacle(): string | false {
  if (process.getuid?.() !== 0) return "needs root, to become somebody else";
  const as = ["--reuid", String(UID), "--regid", String(UID), "--clear-groups", "--"];
  try {
    execFileSync("setpriv", [...as, process.execPath, program, "version"], { stdio: "pipe" });
  } catch {
    return `another user cannot read ${program}`;
  }
  try {
    execFileSync("setpriv", [...as, "unshare", "--user", "--map-root-user", "--mount", "true"], {
      stdio: "pipe",
    });
  } catch {
    return "this system lets users make no user namespaces";
  }
  return false;
}

const skip = obstacle();

describe("a node without root", { skip }, () => {
  it("runs pods, keeps their volumes up to date, and is drained", async () => {
    await using cluster = await Cluster.start({ node: { uid: UID } });
    const { node } = cluster;
    await cluster.makeConfigMap("app", { data: { a: "one" } });
    await cluster.makeSecret("key", { stringData: { k: "v" } });
    const pod = await cluster.runningPod("web", {
      containers: [
        sleeper({
          volumeMounts: [
            { name: "config", mountPath: "/etc/config" },
            { name: "secret", mountPath: "/etc/secret" },
            { name: "config", mountPath: "/etc/one/a", subPath: "a" },
            { name: "secret", mountPath: "/etc/one/k", subPath: "k" },
          ],
        }),
      ],
      volumes: [
        { name: "config", configMap: { name: "app" } },
        { name: "secret", secret: { secretName: "key" } },
      ],
    });
    const pid = node.containerPid(pod);
    const seen = (file: string): string =>
      execFileSync(
        "nsenter",
        [
          "-t",
          String(pid),
          "--user",
          "--mount",
          "--pid",
          "--root",
          "--preserve-credentials",
          "cat",
          file,
        ],
        { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
      );
    assert.equal(seen("/etc/secret/k"), "v");
    await cluster.change("configmaps/app", { data: { a: "two" } });
    await cluster.change("secrets/key", { data: { k: Buffer.from("w").toString("base64") } });
    await cluster.eventually("the new content", () => {
      assert.deepEqual([seen("/etc/config/a"), seen("/etc/secret/k")], ["two", "w"]);
      assert.deepEqual([seen("/etc/one/a"), seen("/etc/one/k")], ["two", "w"]);
    });

    await node.kill();
    await node.restart();
    await cluster.change("configmaps/app", { data: { a: "three" } });
    await cluster.eventually("content after a restart", () => {
      assert.deepEqual([seen("/etc/config/a"), seen("/etc/one/a")], ["three", "three"]);
    });
    assert.equal(node.containerPid(await cluster.pod("web")), pid);

    await node.drain();
    assert.deepEqual(processesBelow(node.dataDir), []);
    assert.deepEqual(mountsBelow(node.dataDir), []);
    assert.deepEqual(
      readdirSync(node.dataDir).filter((name) => !name.startsWith(".")),
      [],
    );
  });

  it("says of a container that wants another user what is in its way", async () => {
    await using cluster = await Cluster.start({ node: { uid: UID } });
    await cluster.makePod("other", {
      containers: [sleeper({ securityContext: { runAsUser: 1000 } })],
    });
    const pod = await cluster.podWhere("other", "a reason", ({ status }) =>
      /user/i.test(status?.containerStatuses?.[0]?.state?.waiting?.message ?? ""),
    );
    const waiting = pod.status?.containerStatuses?.[0]?.state?.waiting;
    assert.equal(waiting?.reason, "RunContainerError");
  });
});

describe("kubectl at a pod of a node without root", { skip, concurrency: false }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await Cluster.start({ node: { uid: UID } });
    await cluster.makeConfigMap("app", { data: { a: "one" } });
    await cluster.runningPod("web", {
      volumes: [
        { name: "config", configMap: { name: "app" } },
        { name: "flags", emptyDir: {} },
      ],
      containers: [
        sleeper({
          command: ["sh", "-c", "echo begun; trap 'exit 0' TERM; sleep infinity & wait"],
          volumeMounts: [
            { name: "config", mountPath: "/etc/one/a", subPath: "a" },
            { name: "flags", mountPath: "/flags" },
          ],
          readinessProbe: { exec: { command: ["cat", "/flags/ready"] }, periodSeconds: 1 },
        }),
        sleeper({
          name: "echo",
          stdin: true,
          command: ["sh", "-c", "while read line; do echo got $line; done"],
        }),
      ],
    });
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  async function kubectlOf(t: TestContext): Promise<Kubectl | undefined> {
    const found = await Kubectl.of("1.36", cluster.server.kubeconfig);
    if (typeof found !== "string") return found;
    t.skip(found);
    return undefined;
  }

  it("reads its log", async (t) => {
    const kubectl = await kubectlOf(t);
    if (kubectl === undefined) return;
    await cluster.eventually("the log", async () => {
      const { code, stdout, stderr } = await kubectl.run("logs", "web", "-c", "main");
      assert.deepEqual([code, stdout], [0, "begun\n"], stderr);
    });
  });

  it("runs a program in it, with input, both outputs and an exit code", async (t) => {
    const kubectl = await kubectlOf(t);
    if (kubectl === undefined) return;
    const script = "cat; echo err >&2; exit 7";
    const argv = ["exec", "-i", "web", "-c", "main", "--", "sh", "-c", script];
    const { code, stdout, stderr } = await kubectl.runWith("some words", ...argv);
    assert.deepEqual([code, stdout], [7, "some words"], stderr);
    assert.match(stderr, /^err$/m);
  });

  it("runs a shell in it at a terminal", async (t) => {
    const kubectl = await kubectlBinary("1.36");
    if (!kubectl.ok) return t.skip(kubectl.reason);
    const tools = await ensureDebianPackages([{ command: "tmux", package: "tmux" }]);
    if (!tools.ok) return t.skip(tools.reason);
    const kubeconfig = ["--kubeconfig", cluster.server.kubeconfig];
    const argv = [kubectl.path, ...kubeconfig, "exec", "-it", "web", "-c", "main", "--", "sh"];
    using tmux = new Tmux(argv, { columns: 90, rows: 25 });
    await tmux.shows(/^[#$]\s*$/m);
    tmux.type("tty; stty size", "Enter");
    await tmux.shows(/^\/dev\/pts\/\d+\n25 90$/m);
    tmux.type("exit 6", "Enter");
    await tmux.shows(/ended with 6/);
  });

  it("attaches to its input and output", async (t) => {
    const kubectl = await kubectlOf(t);
    if (kubectl === undefined) return;
    using session = kubectl.start("attach", "-i", "web", "-c", "echo");
    session.child.stdin.write("a word\n");
    await session.says(/got a word/);
  });

  it("sees a file behind subPath change", async (t) => {
    const kubectl = await kubectlOf(t);
    if (kubectl === undefined) return;
    await cluster.change("configmaps/app", { data: { a: "two" } });
    await cluster.eventually("the new content", async () => {
      const argv = ["exec", "web", "-c", "main", "--", "cat", "/etc/one/a"];
      assert.equal((await kubectl.run(...argv)).stdout, "two");
    });
  });

  it("makes its probe succeed", async (t) => {
    const kubectl = await kubectlOf(t);
    if (kubectl === undefined) return;
    const ready = ["wait", "--for=condition=Ready", "pod/web"];
    const early = await kubectl.run(...ready, "--timeout=0");
    assert.notEqual(early.code, 0);
    const made = await kubectl.run("exec", "web", "-c", "main", "--", "touch", "/flags/ready");
    assert.equal(made.code, 0, made.stderr);
    const { code, stderr } = await kubectl.run(...ready, "--timeout=60s");
    assert.equal(code, 0, stderr);
  });
});
