// What happens to containers at their beginning and end, with real containers: hooks, last words, and the reasons that a pod ends for.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import type { Container, ContainerStatus, Pod } from "../../src/api/types.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { cannotLimit } from "../runtime/container-cgroup.ts";
import { Cluster, sleeper } from "./cluster.ts";

const skip = process.getuid?.() === 0 ? false : "containers need root here";

describe("a container", { skip, concurrency: 4 }, () => {
  let cluster: Cluster;
  let home: TempDir;
  before(async () => {
    home = tempDir();
    cluster = await Cluster.start();
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
    home?.[Symbol.dispose]();
  });

  const volumes = () => [{ name: "out", hostPath: { path: home.path } }];
  function shell(script: string, parts: Partial<Container> = {}): Container {
    const volumeMounts = [{ name: "out", mountPath: "/out" }];
    return sleeper({ command: ["sh", "-c", script], volumeMounts, ...parts });
  }
  const main = ({ status }: Pod): ContainerStatus | undefined => status?.containerStatuses?.[0];
  const linesOf = (file: string): string[] =>
    readFileSync(home.join(file), "utf8").trimEnd().split("\n");
  const exec = (script: string) => ({ exec: { command: ["sh", "-c", script] } });

  async function hasEvent(pod: string, text: string): Promise<void> {
    await cluster.eventually(`the event "${text}"`, async () => {
      const events = await cluster.events(pod);
      const texts = events.map(({ type, reason, message }) => `${type} ${reason} ${message}`);
      assert.ok(texts.includes(text), texts.join("\n"));
    });
  }

  it("runs its hooks after its start and before its end", async () => {
    await cluster.makePod("hooks", {
      terminationGracePeriodSeconds: 30,
      volumes: volumes(),
      containers: [
        shell(
          "trap 'echo term >> /out/hooks; exit 0' TERM; touch /out/hooks-up; sleep infinity & wait",
          {
            lifecycle: {
              postStart: exec(
                "until test -e /out/hooks-up; do sleep 0.1; done; sleep 0.3; echo started >> /out/hooks",
              ),
              preStop: exec("sleep 0.3; echo stopping >> /out/hooks"),
            },
          },
        ),
      ],
    });
    const pod = await cluster.podWhere("hooks", "a ready container", (one) => !!main(one)?.ready);
    assert.deepEqual(linesOf("hooks"), ["started"]);
    assert.equal(main(pod)?.started, true);
    await cluster.delete("pods/hooks");
    await cluster.podGone("hooks");
    assert.deepEqual(linesOf("hooks"), ["started", "stopping", "term"]);
  });

  it("whose first hook fails is stopped, and says why", async () => {
    await cluster.makePod("bad-start", {
      volumes: volumes(),
      restartPolicy: "Never",
      containers: [
        shell("trap 'exit 7' TERM; echo up > /out/bad-start; sleep infinity & wait", {
          lifecycle: {
            postStart: exec("until test -e /out/bad-start; do sleep 0.1; done; echo no; exit 3"),
          },
        }),
      ],
    });
    await cluster.podIn("bad-start", "Failed");
    await hasEvent("bad-start", "Warning FailedPostStartHook PostStartHook failed");
    await hasEvent("bad-start", "Normal Killing FailedPostStartHook");
  });

  it("whose first hook fails again and again waits", async () => {
    await cluster.makePod("bad-starts", {
      containers: [sleeper({ lifecycle: { postStart: exec("echo no; exit 3") } })],
    });
    const pod = await cluster.podWhere("bad-starts", "a back-off", (one) => {
      return main(one)?.state.waiting?.reason === "CrashLoopBackOff";
    });
    assert.equal(main(pod)?.restartCount, 1);
  });

  it("is asked over HTTP before it is stopped", async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const httpGet = { host: "127.0.0.1", port, path: "/bye" };
      const lifecycle = {
        postStart: { httpGet: { ...httpGet, path: "/hi" } },
        preStop: { httpGet },
      };
      await cluster.makePod("asked", { containers: [sleeper({ lifecycle })] });
      // It runs before its hook is done, and is not ready before that.
      await cluster.podWhere("asked", "a ready container", (one) => !!main(one)?.ready);
      assert.deepEqual(asked, ["/hi"]);
      await cluster.delete("pods/asked");
      await cluster.podGone("asked");
      assert.deepEqual(asked, ["/hi", "/bye"]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  for (const [name, parts, script, wanted] of [
    ["words", {}, "echo out of cheese > /dev/termination-log; exit 1", "out of cheese\n"],
    ["words-ok", {}, "echo fine > /dev/termination-log", "fine\n"],
    [
      "words-elsewhere",
      { terminationMessagePath: "/tmp/last", securityContext: { runAsUser: 1000 } },
      "echo elsewhere > /tmp/last; exit 1",
      "elsewhere\n",
    ],
    [
      "words-log",
      { terminationMessagePolicy: "FallbackToLogsOnError" },
      "echo first; echo last >&2; exit 1",
      // Two pipes: none of them is read before the other.
      /^(?:first\nlast\n|last\nfirst\n)$/,
    ],
    ["words-none", { terminationMessagePolicy: "FallbackToLogsOnError" }, "echo hidden", undefined],
    [
      "words-huge",
      {},
      "dd if=/dev/zero of=/dev/termination-log bs=1k count=0 seek=4194304 2>/dev/null; exit 1",
      "\0".repeat(4096),
    ],
    [
      "words-gone",
      {},
      "rm /dev/termination-log 2>/dev/null; ln -sf /etc/hostname /dev/termination-log; exit 1",
      undefined,
    ],
  ] as const) {
    it(`has its last words in its status: ${name}`, async () => {
      const phase = script.includes("exit 1") ? "Failed" : "Succeeded";
      const containers = [sleeper({ command: ["sh", "-c", script], ...parts })];
      await cluster.makePod(name, { restartPolicy: "Never", containers });
      const pod = await cluster.podIn(name, phase);
      const message = main(pod)?.state.terminated?.message;
      if (wanted instanceof RegExp) assert.match(message ?? "", wanted);
      else assert.equal(message, wanted);
    });
  }

  it("that fails its liveness probe is restarted", async () => {
    const livenessProbe = {
      ...{ exec: { command: ["test", "-e", "/out/alive"] }, periodSeconds: 1 },
      ...{ failureThreshold: 1, terminationGracePeriodSeconds: 2 },
    };
    await cluster.makePod("liveness", {
      terminationGracePeriodSeconds: 60,
      volumes: volumes(),
      containers: [shell("trap '' TERM; while :; do sleep 0.2; done", { livenessProbe })],
    });
    const pod = await cluster.podWhere("liveness", "a restart", (one) => {
      return (main(one)?.restartCount ?? 0) > 0;
    });
    assert.equal(main(pod)?.lastState.terminated?.exitCode, 137);
    await hasEvent(
      "liveness",
      "Normal Killing Container main failed liveness probe, will be restarted",
    );
    await cluster.delete("pods/liveness?gracePeriodSeconds=0");
  });

  it("that needs more memory than it may have is killed, and says so", {
    skip: cannotLimit("memory"),
  }, async () => {
    const hog = "x=$(head -c 200000000 /dev/zero | tr '\\0' x); echo $${#x}";
    await cluster.makePod("memory", {
      restartPolicy: "Never",
      containers: [
        sleeper({
          command: ["sh", "-c", hog],
          resources: { limits: { memory: "32Mi" }, requests: { memory: "16Mi" } },
        }),
      ],
    });
    const pod = await cluster.podIn("memory", "Failed");
    const { reason, exitCode } = main(pod)?.state.terminated ?? {};
    assert.equal(reason, "OOMKilled");
    assert.notEqual(exitCode, 0);
  });

  it("is ended with its pod when that has been active too long", async () => {
    await cluster.makePod("deadline", { activeDeadlineSeconds: 1 });
    const { status } = await cluster.podIn("deadline", "Failed");
    assert.equal(status?.reason, "DeadlineExceeded");
    assert.equal(status?.message, "Pod was active on the node longer than the specified deadline");
  });

  it("is ended with its pod when that has too much in an emptyDir", async () => {
    await cluster.makePod("full", {
      volumes: [{ name: "scratch", emptyDir: { sizeLimit: "1Mi" } }],
      containers: [
        sleeper({
          command: ["sh", "-c", "dd if=/dev/zero of=/scratch/x bs=64k count=32; sleep infinity"],
          volumeMounts: [{ name: "scratch", mountPath: "/scratch" }],
        }),
      ],
    });
    const { status } = await cluster.podIn("full", "Failed");
    assert.equal(status?.reason, "Evicted");
    assert.equal(status?.message, 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ');
    await hasEvent("full", `Warning Evicted ${status?.message}`);
  });

  it("that has a terminal knows of it", async () => {
    const script = "test -t 0 && test -t 1 && echo $$TERM > /dev/termination-log";
    await cluster.makePod("terminal", {
      restartPolicy: "Never",
      containers: [sleeper({ command: ["sh", "-c", script], stdin: true, tty: true })],
    });
    const pod = await cluster.podIn("terminal", "Succeeded");
    assert.equal(main(pod)?.state.terminated?.message, "xterm\n");
  });
});
