// logs and exec, into containers that run.

import { deepEqual, equal, match } from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { ensureDebianPackages } from "../../tools/debian.ts";
import { Cluster, sleeper } from "../agent/cluster.ts";
import { Kubectl } from "../agent/kubectl-session.ts";
import { Tmux } from "../agent/tmux.ts";
import { sleepers } from "../support/sleepers.ts";
import { Verbs } from "./verbs.ts";

const talker = sleeper({
  name: "talker",
  command: [
    "sh",
    "-c",
    "trap 'exit 0' TERM; echo one; echo two; echo three; sleep infinity & wait",
  ],
});

function hash(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

describe("Verbs for pods", { concurrency: false }, () => {
  let cluster: Cluster;
  let verbs: Verbs;
  let kubectl: Kubectl | string;

  before(async () => {
    cluster = await Cluster.start();
    verbs = new Verbs(cluster.server.kubeconfig);
    kubectl = await Kubectl.of("1.36", cluster.server.kubeconfig);
    const labels = { app: "web" };
    await cluster.runningPod("web", { labels, containers: [sleeper(), talker] });
    await cluster.runningPod("other", { labels, containers: [talker] });
    await cluster.ask("POST", "/apis/apps/v1/namespaces/default/deployments", {
      metadata: { name: "web" },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "host" }] } },
      },
    });
    for (const pod of ["web", "other"]) {
      await cluster.eventually("what it says", async () => {
        const { stdout } = await verbs.run("logs", pod, "-c", "talker");
        equal(stdout, "one\ntwo\nthree\n");
      });
    }
  });
  after(() => cluster[Symbol.asyncDispose]());

  const same: readonly string[] = [
    "logs other",
    "logs web",
    "logs web -c talker --tail 1",
    "logs web talker --tail=2",
    "logs web -c none",
    "logs none",
    "logs web --all-containers",
    "logs other --prefix --since 1h",
    "logs other --limit-bytes 5",
    "logs other --previous",
    "exec other -- echo hello",
    "exec web -- echo hello",
    "exec -q web -- echo hello",
    "exec other -- sh -c exit\t3",
    "exec other -- no-such-program",
    "exec none -- true",
    "exec web -c none -- true",
    "exec -it other -- cat",
  ];
  for (const command of same) {
    it(`${command} does as kubectl does`, async (t) => {
      if (typeof kubectl === "string") return t.skip(kubectl);
      const words = command.split(" ").map((word) => word.replaceAll("\t", " "));
      const [ours, theirs] = [await verbs.run(...words), await kubectl.run(...words)];
      // kubectl says where it looked for pods, in a small letter of its own.
      const bare = (text: string): string =>
        text.replace(
          /^error: error from server.*: (.*) in namespace.*/s,
          "Error from server (NotFound): $1\n",
        );
      deepEqual({ ...ours }, { ...theirs, stderr: bare(theirs.stderr) });
    });
  }

  it("logs of several pods are merged line by line", async () => {
    const { stdout } = await verbs.run(
      "logs",
      "-l",
      "app=web",
      "-c",
      "talker",
      "--prefix",
      "--tail",
      "2",
    );
    deepEqual(stdout.split("\n").toSorted(), [
      "",
      "[pod/other/talker] three",
      "[pod/other/talker] two",
      "[pod/web/talker] three",
      "[pod/web/talker] two",
    ]);
    const deploy = await verbs.run("logs", "deploy/web", "-c", "talker", "--tail", "1");
    equal(deploy.stdout, "three\n");
    match(deploy.stderr, /^Found 2 pods, using pod\/(?:web|other)$/m);
  });

  it("logs -f goes on, also of a container that has not begun", async () => {
    const counter = sleeper({
      command: [
        "sh",
        "-c",
        "trap 'exit 0' TERM; n=0; while :; do n=$((n+1)); echo line $n; sleep 0.1; done",
      ],
    });
    await cluster.makePod("later", { containers: [counter] });
    using session = verbs.start("logs", "-f", "pod/later");
    await session.says(/^line 5$/m);
    match(session.stdout, /^line 1\nline 2\nline 3\n/);
    await cluster.delete("pods/later?gracePeriodSeconds=0");
  });

  it("exec passes input, output, errors and the exit code", async () => {
    const script = "echo out; echo err >&2; exit 7";
    const ran = await verbs.run("exec", "other", "--", "sh", "-c", script);
    deepEqual([ran.code, ran.stdout], [7, "out\n"]);
    equal(ran.stderr, "err\ncommand terminated with exit code 7\n");
    const bytes = randomBytes(3_000_000);
    using session = verbs.start("exec", "-i", "deploy/web", "-c", "talker", "--", "cat");
    session.child.stdin.end(bytes);
    equal((await session.ended()).code, 0);
    equal(hash(session.bytes), hash(bytes));
  });

  it("exec brings all output to a reader that is slow", async () => {
    const script = "head -c 3000000 /dev/zero | tr '\\0' x";
    using session = verbs.start("exec", "other", "--", "sh", "-c", script);
    session.child.stdout.pause();
    session.child.stdin.end();
    await cluster.eventually("something to read", () => {
      if (session.child.stdout.readableLength === 0) session.child.stdout.read(0);
      equal(session.child.stdout.readableLength > 0, true);
    });
    session.child.stdout.resume();
    await session.ended();
    equal(session.bytes.length, 3_000_000);
  });

  it("exec -it is a shell with a size, signals and an end", async (t) => {
    const tools = await ensureDebianPackages([{ command: "tmux", package: "tmux" }]);
    if (!tools.ok) return t.skip(tools.reason);
    const words = verbs.words("exec", "-it", "other", "--", "sh");
    using tmux = new Tmux(words, { columns: 80, rows: 24 });
    await tmux.shows(/^[#$]\s*$/m);
    tmux.type("tty; stty size", "Enter");
    await tmux.shows(/^\/dev\/pts\/\d+\n24 80$/m);
    tmux.resize(77, 21);
    // The new size takes its way through three connections.
    tmux.type("until [ \"$(stty size)\" = '21 77' ]; do sleep 0.05; done; echo resized", "Enter");
    await tmux.shows(/^resized$/m);
    tmux.type("sleep 4999; echo after $?", "Enter");
    // A signal that comes before it has the terminal would be the shell's.
    await cluster.eventually("the program", () => equal(sleepers("4999").length, 1));
    tmux.type("C-c");
    await tmux.shows(/\^C/);
    await cluster.eventually("no program", () => deepEqual(sleepers("4999"), []));
    tmux.type("exit 6", "Enter");
    await tmux.shows(/ended with 6/);
  });

  it("delete shows at a terminal what it waits for, and leaves nothing of it", async (t) => {
    const tools = await ensureDebianPackages([{ command: "tmux", package: "tmux" }]);
    if (!tools.ok) return t.skip(tools.reason);
    const finalizers = ["example.com/wait"];
    await cluster.ask("POST", "/api/v1/namespaces/default/configmaps", {
      metadata: { name: "held", finalizers },
    });
    using tmux = new Tmux(verbs.words("delete", "cm", "held"), { columns: 80, rows: 24 });
    await tmux.shows(/^waiting until configmap "held" is gone \(\d+s\)/m);
    await cluster.change("configmaps/held", { metadata: { finalizers: null } });
    await tmux.shows(/ended with 0/);
    match(tmux.screen, /^configmap "held" deleted from default namespace\nended with 0/);
  });
});
