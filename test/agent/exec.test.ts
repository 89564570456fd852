// exec, attach and cp with real clients into real containers.

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { after, before, describe, it, type TestContext } from "node:test";
import { Attach, Cp, Exec, KubeConfig, type V1Status } from "@kubernetes/client-node";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { type KubectlLine, kubectlLines } from "../clients/kubectl-binaries.ts";
import { python, pythonModules } from "../clients/python-client.ts";
import { Cluster, sleeper } from "./cluster.ts";
import { Kubectl, KubectlSession } from "./kubectl-session.ts";

let cluster: Cluster;

async function kubectlOf(t: TestContext, line: KubectlLine): Promise<Kubectl | undefined> {
  const found = await Kubectl.of(line, cluster.server.kubeconfig);
  if (typeof found !== "string") return found;
  t.skip(found);
  return undefined;
}

function configOf(): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(cluster.server.kubeconfig);
  return config;
}

/** Processes of this machine whose command line has the word in it. */
function processesWith(word: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return words.includes(word) && !words.some((one) => one.endsWith("kubectl"));
      } catch {
        return false; // It ended meanwhile.
      }
    });
}

function hash(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

describe("In a container", { concurrency: false }, () => {
  before(async () => {
    cluster = await Cluster.start();
    const echo = ["sh", "-c", "while read line; do echo got $line; done; echo end"];
    await cluster.runningPod("web", {
      containers: [
        sleeper(),
        sleeper({ name: "echo", stdin: true, command: echo }),
        sleeper({ name: "side" }),
      ],
    });
  });
  after(() => cluster[Symbol.asyncDispose]());

  for (const line of kubectlLines) {
    it(`kubectl ${line} runs commands with their input, output and exit code`, async (t) => {
      const kubectl = await kubectlOf(t, line);
      if (kubectl === undefined) return;
      const script = "echo out; echo err >&2; exit 7";
      const ran = await kubectl.run("exec", "web", "-c", "main", "--", "sh", "-c", script);
      deepEqual([ran.code, ran.stdout], [7, "out\n"]);
      match(ran.stderr, /^err$/m);
      match(ran.stderr, /command terminated with exit code 7/);
      const bytes = randomBytes(3_000_000);
      using session = kubectl.start("exec", "-i", "web", "-c", "main", "--", "cat");
      session.child.stdin.end(bytes);
      equal((await session.ended()).code, 0);
      equal(hash(session.bytes), hash(bytes));
      const none = await kubectl.run("exec", "web", "-c", "main", "--", "no-such-program");
      equal(none.code, 127);
      match(none.stderr, /"no-such-program": executable file not found in \$PATH/);
    });

    it(`kubectl ${line} that is killed leaves no process behind`, async (t) => {
      const kubectl = await kubectlOf(t, line);
      if (kubectl === undefined) return;
      const word = `1000${line.replace(".", "")}`;
      const script = `echo up; sleep ${word} & wait`;
      using session = kubectl.start("exec", "-i", "web", "-c", "side", "--", "sh", "-c", script);
      await session.says(/up/);
      await cluster.eventually("the program", () => equal(processesWith(word).length, 1));
      session.child.kill("SIGKILL");
      await cluster.eventually("no process", () => deepEqual(processesWith(word), []));
    });

    it(`kubectl ${line} copies files in both directions`, async (t) => {
      const kubectl = await kubectlOf(t, line);
      if (kubectl === undefined) return;
      using directory = tempDir();
      const bytes = randomBytes(200_000);
      writeFileSync(join(directory.path, "up"), bytes);
      const place = `web:/tmp/copied-${line}`;
      const up = await kubectl.run("cp", join(directory.path, "up"), place, "-c", "main");
      equal(up.code, 0, up.stderr);
      const back = join(directory.path, "down");
      const down = await kubectl.run("cp", place, back, "-c", "main");
      equal(down.code, 0, down.stderr);
      equal(hash(readFileSync(back)), hash(bytes));
    });
  }

  it("kubectl attaches to what a container says and reads", async (t) => {
    const kubectl = await kubectlOf(t, "1.36");
    if (kubectl === undefined) return;
    using session = kubectl.start("attach", "-i", "web", "-c", "echo");
    session.child.stdin.write("first\n");
    await session.says(/got first/);
    session.child.stdin.write("second\n");
    await session.says(/got second/);
  });

  it("an agent that is killed ends sessions, and takes new ones when it is back", async (t) => {
    const kubectl = await kubectlOf(t, "1.32");
    if (kubectl === undefined) return;
    using session = kubectl.start(
      "exec",
      "-i",
      "web",
      "-c",
      "main",
      "--",
      "sh",
      "-c",
      "echo up; cat",
    );
    await session.says(/up/);
    await cluster.node.kill();
    ok((await session.ended()).code !== 0);
    await cluster.node.restart();
    await cluster.eventually("a command that runs", async () => {
      const { stdout } = await kubectl.run("exec", "web", "-c", "main", "--", "echo", "again");
      equal(stdout, "again\n");
    });
  });

  it("fifty commands at once each get their own bytes", async () => {
    const exec = new Exec(configOf());
    const run = async (i: number): Promise<string> => {
      const [stdout, stderr] = [new PassThrough(), new PassThrough()];
      const chunks: Buffer[] = [];
      stdout.on("data", (bytes: Buffer) => chunks.push(bytes));
      const argv = ["sh", "-c", `cat; echo number ${i}`];
      const ended = Promise.withResolvers<V1Status>();
      const stdin = Readable.from([`for ${i}\n`]);
      const done = (status: V1Status): void => ended.resolve(status);
      await exec.exec("default", "web", "main", argv, stdout, stderr, stdin, false, done);
      const { status, message } = await ended.promise;
      equal(status, "Success", message);
      return Buffer.concat(chunks).toString();
    };
    const all = await Promise.all(Array.from({ length: 50 }, (_, i) => run(i)));
    all.forEach((text, i) => {
      equal(text, `for ${i}\nnumber ${i}\n`);
    });
  });

  it("the JavaScript client is told how a command ended, attaches, and copies", async () => {
    const config = configOf();
    const ended = Promise.withResolvers<V1Status>();
    const [out, err] = [new PassThrough(), new PassThrough()];
    const done = (status: V1Status): void => ended.resolve(status);
    const argv = ["sh", "-c", "exit 9"];
    await new Exec(config).exec("default", "web", "main", argv, out, err, null, false, done);
    const { reason, details } = await ended.promise;
    equal(reason, "NonZeroExitCode");
    equal(details?.causes?.[0]?.message, "9");

    const said = new PassThrough();
    const words = new PassThrough();
    const socket = await new Attach(config).attach(
      ...(["default", "web", "echo", said, null, words, false] as const),
    );
    words.write("hello\n");
    for await (const bytes of said) if (String(bytes).includes("got hello")) break;
    socket.close();

    using directory = tempDir();
    writeFileSync(join(directory.path, "from-js"), "by the library");
    const cp = new Cp(config);
    // It does not wait for the end.
    await cp.cpToPod("default", "web", "main", directory.path, "/tmp");
    const pod = await cluster.pod("web");
    await cluster.eventually("the file", () => {
      equal(cluster.node.inContainer(pod, ["cat", "/tmp/from-js"], "main"), "by the library");
    });
  });

  it("the Python client runs a command", async (t) => {
    const modules = await pythonModules();
    if (!modules.ok) return t.skip(modules.reason);
    const program = `
import sys
from kubernetes import client, config
from kubernetes.stream import stream
config.load_kube_config(sys.argv[1])
api = client.CoreV1Api()
print(stream(api.connect_get_namespaced_pod_exec, "web", "default", container="main",
  command=["sh", "-c", "echo from python; echo err >&2"], stderr=True, stdin=False, stdout=True, tty=False), end="")
session = stream(api.connect_get_namespaced_pod_exec, "web", "default", container="main",
  command=["sh", "-c", "read x; echo read $x; exit 5"], stderr=True, stdin=True, stdout=True, tty=False, _preload_content=False)
session.write_stdin("line\\n")
while session.is_open():
    session.update(timeout=1)
    if session.peek_stdout(): print(session.read_stdout(), end="")
print(session.returncode)
`;
    const flags = ["-c", program, cluster.server.kubeconfig];
    using session = new KubectlSession("/usr/bin/env", [
      ...(["-S", `PYTHONPATH=${modules.path}`, python] as const),
      ...flags,
    ]);
    const { code, stdout, stderr } = await session.ended();
    equal(code, 0, stderr);
    deepEqual(stdout.split("\n").toSorted(), ["", "5", "err", "from python", "read line"]);
  });

  it("kubectl debug looks into it with a container of its own", async (t) => {
    const kubectl = await kubectlOf(t, "1.36");
    if (kubectl === undefined) return;
    await cluster.runningPod("looked-at", {});
    const script = "tr '\\0' ' ' < /proc/1/cmdline; read x; echo got $x";
    const flags = ["debug", "looked-at", "-i", "--image=host", "--target=main", "--attach=true"];
    using session = kubectl.start(...flags, "--", "sh", "-c", script);
    session.child.stdin.write("word\n");
    const { code, stdout } = await session.ended();
    equal(code, 0);
    match(stdout, /got word/);
  });

  it("has what it runs end with the container, and says so", async (t) => {
    const kubectl = await kubectlOf(t, "1.36");
    if (kubectl === undefined) return;
    await cluster.runningPod("short", {});
    using session = kubectl.start("exec", "-i", "short", "--", "sh", "-c", "echo up; sleep 7777");
    await session.says(/up/);
    await cluster.delete("pods/short");
    const { code } = await session.ended();
    equal(code, 137);
    await cluster.eventually("no process", () => deepEqual(processesWith("7777"), []));
    await cluster.podGone("short");
    const gone = await kubectl.run("exec", "short", "--", "true");
    match(gone.stderr, /not found/);
  });
});
