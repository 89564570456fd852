// Interactive shells: a person at a terminal, as far as a program can be one.

import { deepEqual } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ensureDebianPackages } from "../../tools/debian.ts";
import { kubectlBinary, kubectlLines } from "../clients/kubectl-binaries.ts";
import { sleepers } from "../support/sleepers.ts";
import { Cluster, sleeper } from "./cluster.ts";
import { Tmux } from "./tmux.ts";

describe("At a terminal", { concurrency: false }, () => {
  let cluster: Cluster;
  let missing: string | undefined;

  before(async () => {
    const tools = await ensureDebianPackages([{ command: "tmux", package: "tmux" }]);
    missing = tools.ok ? undefined : tools.reason;
    cluster = await Cluster.start();
    const shell = ["sh", "-i"];
    await cluster.runningPod("web", {
      containers: [sleeper(), sleeper({ name: "shell", stdin: true, tty: true, command: shell })],
    });
  });
  after(() => cluster[Symbol.asyncDispose]());

  const kubeconfig = (): readonly string[] => ["--kubeconfig", cluster.server.kubeconfig];

  for (const line of kubectlLines) {
    it(`kubectl exec -it of ${line} is a shell with a size, signals and an end`, async (t) => {
      const kubectl = await kubectlBinary(line);
      if (!kubectl.ok || missing !== undefined) {
        return t.skip(kubectl.ok ? missing : kubectl.reason);
      }
      const flags = [...kubeconfig(), "exec", "-it", "web", "-c", "main", "--", "sh"];
      using tmux = new Tmux([kubectl.path, ...flags], { columns: 100, rows: 30 });
      await tmux.shows(/^[#$]\s*$/m);
      tmux.type("tty; stty size", "Enter");
      await tmux.shows(/^\/dev\/pts\/\d+\n30 100$/m);
      tmux.resize(77, 21);
      // The new size takes its way through three connections.
      tmux.type("until [ \"$(stty size)\" = '21 77' ]; do sleep 0.05; done; echo resized", "Enter");
      await tmux.shows(/^resized$/m);
      tmux.type("sleep 5000; echo after $?", "Enter");
      await cluster.eventually("the program", () => deepEqual(sleepers("5000").length, 1));
      tmux.type("C-c");
      await tmux.shows(/\^C/);
      await cluster.eventually("no program", () => deepEqual(sleepers("5000"), []));
      tmux.type("exit 6", "Enter");
      await tmux.shows(/ended with 6/);
    });
  }

  it("Ctrl-D is the end of the shell's input", async (t) => {
    const kubectl = await kubectlBinary("1.36");
    if (!kubectl.ok || missing !== undefined) {
      return t.skip(kubectl.ok ? missing : kubectl.reason);
    }
    const flags = [...kubeconfig(), "exec", "-it", "web", "-c", "main", "--", "sh"];
    using tmux = new Tmux([kubectl.path, ...flags], { columns: 80, rows: 24 });
    await tmux.shows(/^[#$]\s*$/m);
    tmux.type("C-d");
    await tmux.shows(/ended with 0/);
  });

  it("kubectl attach -it is at the terminal of the container itself", async (t) => {
    const kubectl = await kubectlBinary("1.36");
    if (!kubectl.ok || missing !== undefined) {
      return t.skip(kubectl.ok ? missing : kubectl.reason);
    }
    const flags = [...kubeconfig(), "attach", "-it", "web", "-c", "shell"];
    using tmux = new Tmux([kubectl.path, ...flags], { columns: 90, rows: 25 });
    await tmux.shows(/If you don't see a command prompt/);
    tmux.type("", "Enter");
    await tmux.shows(/^[#$]\s*$/m);
    tmux.type("echo pid $$ $((20 + 3))", "Enter");
    await tmux.shows(/^pid 1 23$/m);
  });
});
