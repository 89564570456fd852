// The life of pods with real containers: init containers, restarts, ends and exit codes, as `kubectl get pods` shows them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Container, ContainerStatus, Pod } from "../../src/api/types.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { kubectlBinary } from "../clients/kubectl-binaries.ts";
import { Cluster, sleeper } from "./cluster.ts";
import { logLines, logText } from "./container-log.ts";

const kubectl = await kubectlBinary("1.32");
const isRoot = process.getuid?.() === 0;
const skip = isRoot ? !kubectl.ok && kubectl.reason : "containers need root here";

function shell(script: string, parts: Partial<Container> = {}): Container {
  return sleeper({ command: ["sh", "-c", script], ...parts });
}

const shared = { name: "shared", mountPath: "/shared" };
const volumes = [{ name: "shared", emptyDir: {} }];

describe("a pod", { skip, concurrency: 3 }, () => {
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

  /** READY, STATUS and RESTARTS, without how long ago. */
  function columns(name: string): string {
    const path = kubectl.ok ? kubectl.path : "";
    const out = execFileSync(
      path,
      ["--kubeconfig", cluster.server.kubeconfig, "get", "pod", name, "--no-headers"],
      { encoding: "utf8" },
    );
    return out.trim().split(/\s+/).slice(1, 4).join(" ");
  }
  const showsColumns = (name: string, wanted: string): Promise<void> =>
    cluster.eventually(`${name} as ${wanted}`, () => assert.equal(columns(name), wanted));
  const inside = (pod: Pod, argv: readonly string[], container?: string): string =>
    cluster.node.inContainer(pod, argv, container).trimEnd();
  const ended = (status: ContainerStatus | undefined): readonly unknown[] => {
    const { exitCode, signal, reason } = status?.state?.terminated ?? {};
    return [exitCode, signal, reason];
  };
  const [main] = [(pod: Pod): ContainerStatus | undefined => pod.status?.containerStatuses?.[0]];

  it("runs its init containers one after the other, and then the others", async () => {
    const step = (name: string): Container =>
      shell(
        `cat /shared/order; echo ${name} >> /shared/order; sleep 0.2; echo ${name} ended >> /shared/order`,
        {
          name,
          volumeMounts: [shared],
        },
      );
    const pod = await cluster.runningPod("init", {
      volumes,
      initContainers: [step("first"), step("second")],
      containers: [sleeper({ volumeMounts: [shared] })],
    });
    const order = inside(pod, ["cat", "/shared/order"]).split("\n");
    assert.deepEqual(order, ["first", "first ended", "second", "second ended"]);
    const inits = pod.status?.initContainerStatuses ?? [];
    assert.deepEqual(inits.map(ended), [
      [0, undefined, "Completed"],
      [0, undefined, "Completed"],
    ]);
    assert.deepEqual(logText(cluster.node.dataDir, pod, "second"), ["first", "first ended"]);
    await showsColumns("init", "1/1 Running 0");
  });

  it("whose init container fails starts nothing else, and is tried again", async () => {
    await cluster.makePod("init-fails", {
      volumes,
      initContainers: [
        shell("echo x >> /shared/tries; exit 5", { name: "bad", volumeMounts: [shared] }),
      ],
    });
    await showsColumns("init-fails", "0/1 Init:CrashLoopBackOff 1");
    const pod = await cluster.pod("init-fails");
    const [bad] = pod.status?.initContainerStatuses ?? [];
    assert.equal(bad?.lastState?.terminated?.exitCode, 5);
    assert.equal(main(pod)?.state?.waiting?.reason, "PodInitializing");
    assert.equal(main(pod)?.containerID ?? "", "");
  });

  it("whose init container fails has failed if it may not be restarted", async () => {
    await cluster.makePod("init-never", {
      restartPolicy: "Never",
      initContainers: [shell("exit 6", { name: "bad" })],
    });
    const pod = await cluster.podIn("init-never", "Failed");
    assert.deepEqual(ended(pod.status?.initContainerStatuses?.[0]), [6, undefined, "Error"]);
    await showsColumns("init-never", "0/1 Init:Error 0");
  });

  for (const [name, script, phase, end, shown] of [
    ["good", "exit 0", "Succeeded", [0, undefined, "Completed"], "0/1 Completed 0"],
    ["bad", "exit 3", "Failed", [3, undefined, "Error"], "0/1 Error 0"],
    ["killed", "sh -c 'kill -9 $$$$'; exit $?", "Failed", [137, undefined, "Error"], "0/1 Error 0"],
  ] as const) {
    it(`that is never restarted ends as ${phase} after "${script}"`, async () => {
      await cluster.makePod(name, { restartPolicy: "Never", containers: [shell(script)] });
      const pod = await cluster.podIn(name, phase);
      assert.deepEqual(ended(main(pod)), end);
      assert.equal(main(pod)?.restartCount, 0);
      await showsColumns(name, shown);
    });
  }

  it("that the machine kills has 128 and the signal as its exit code", async () => {
    const pod = await cluster.runningPod("shot", { restartPolicy: "Never" });
    process.kill(cluster.node.containerPid(pod), "SIGKILL");
    const [code] = ended(main(await cluster.podIn("shot", "Failed")));
    assert.equal(code, 137);
    await showsColumns("shot", "0/1 Error 0");
  });

  it("with two containers is done when both are, and failed when one is", async () => {
    await cluster.makePod("two", {
      restartPolicy: "Never",
      containers: [shell("exit 0", { name: "a" }), shell("exit 1", { name: "b" })],
    });
    const pod = await cluster.podIn("two", "Failed");
    assert.deepEqual(
      pod.status?.containerStatuses?.map((one) => ended(one)[0]),
      [0, 1],
    );
  });

  it("that is restarted on failure ends when it succeeds", async () => {
    await cluster.makePod("on-failure", {
      restartPolicy: "OnFailure",
      volumes,
      containers: [
        shell("test -e /shared/again && exit 0; touch /shared/again; exit 4", {
          volumeMounts: [shared],
        }),
      ],
    });
    const pod = await cluster.podIn("on-failure", "Succeeded");
    assert.equal(main(pod)?.restartCount, 1);
    assert.equal(main(pod)?.lastState?.terminated?.exitCode, 4);
    await showsColumns("on-failure", "0/1 Completed 1");
  });

  it("that ends again and again is in CrashLoopBackOff", async () => {
    await cluster.makePod("crash", { containers: [shell("echo try; exit 1")] });
    await showsColumns("crash", "0/1 CrashLoopBackOff 1");
    const pod = await cluster.pod("crash");
    assert.equal(pod.status?.phase, "Running");
    assert.equal(main(pod)?.lastState?.terminated?.exitCode, 1);
    assert.equal(
      main(pod)?.state?.waiting?.message,
      `back-off 10s restarting failed container=main pod=crash_default(${pod.metadata.uid})`,
    );
    assert.deepEqual(logText(cluster.node.dataDir, pod, "main", 1), ["try"]);
    await cluster.eventually("an event", async () => {
      const events = await cluster.events("crash");
      assert.ok(
        events.some(
          ({ reason, message }) =>
            reason === "BackOff" &&
            message ===
              `Back-off restarting failed container main in pod crash_default(${pod.metadata.uid})`,
        ),
      );
    });
  });

  it("that starts a program that is not there says so", async () => {
    await cluster.makePod("no-program", { containers: [sleeper({ command: ["/no/such/thing"] })] });
    await showsColumns("no-program", "0/1 RunContainerError 0");
    const pod = await cluster.pod("no-program");
    assert.match(
      main(pod)?.state?.waiting?.message ?? "",
      /\/no\/such\/thing: no such file or directory$/,
    );
  });

  it("that starts a program that is not there, and is never restarted, has failed", async () => {
    const containers = [sleeper({ command: ["/no/such/thing"] })];
    await cluster.makePod("never-begun", { restartPolicy: "Never", containers });
    const pod = await cluster.podIn("never-begun", "Failed");
    const { reason, exitCode } = main(pod)?.state?.terminated ?? {};
    assert.deepEqual([reason, exitCode], ["StartError", 128]);
    await showsColumns("never-begun", "0/1 StartError 0");
  });

  it("that is deleted may say goodbye, and is gone as soon as it has", async () => {
    const file = home.join("goodbye");
    await cluster.runningPod("polite", {
      // Longer than anybody waits for its end.
      terminationGracePeriodSeconds: 600,
      volumes: [{ name: "out", hostPath: { path: home.path } }],
      containers: [
        shell("trap 'echo bye > /out/goodbye; exit 0' TERM; echo ready; sleep infinity & wait", {
          volumeMounts: [{ name: "out", mountPath: "/out" }],
        }),
      ],
    });
    const pod = await cluster.pod("polite");
    await cluster.eventually("its trap", () =>
      assert.deepEqual(logText(cluster.node.dataDir, pod), ["ready"]),
    );
    await cluster.delete("pods/polite");
    await cluster.podGone("polite");
    assert.equal(readFileSync(file, "utf8"), "bye\n");
  });

  it("that does not want to end is killed after its grace, and not before", async () => {
    const pod = await cluster.runningPod("stubborn", {
      // Long enough for all that is looked at meanwhile, and not the usual 30 seconds.
      terminationGracePeriodSeconds: 10,
      containers: [shell("trap 'echo no' TERM; echo ready; while :; do sleep 0.1; done")],
    });
    await cluster.eventually("its trap", () =>
      assert.deepEqual(logText(cluster.node.dataDir, pod), ["ready"]),
    );
    const pid = cluster.node.containerPid(pod);
    const began = performance.now();
    await cluster.delete("pods/stubborn");
    await showsColumns("stubborn", "1/1 Terminating 0");
    await cluster.eventually("its answer", () =>
      assert.deepEqual(logText(cluster.node.dataDir, pod), ["ready", "no"]),
    );
    await cluster.podGone("stubborn");
    const tookMs = performance.now() - began;
    assert.ok(tookMs > 9900 && tookMs < 30_000, `it took ${tookMs} ms`);
    assert.equal(existsSync(`/proc/${pid}`), false);
  });

  it("shares an emptyDir among its containers, and loses it with the pod only", async () => {
    const pod = await cluster.runningPod("shares", {
      volumes,
      containers: [
        sleeper({ name: "a", volumeMounts: [shared] }),
        sleeper({ name: "b", volumeMounts: [shared], securityContext: { runAsUser: 1000 } }),
      ],
    });
    inside(pod, ["sh", "-c", "echo hello > /shared/file"], "b");
    assert.equal(inside(pod, ["cat", "/shared/file"], "a"), "hello");
    const path = cluster.node.volumePath(pod, "empty-dir", "shared");
    assert.equal(readFileSync(`${path}/file`, "utf8"), "hello\n");
    await cluster.delete("pods/shares");
    await cluster.podGone("shares");
    assert.equal(existsSync(path), false);
  });

  it("has no more memory in an emptyDir than its limit", async () => {
    const pod = await cluster.runningPod("memory", {
      volumes: [{ name: "shared", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } }],
      containers: [sleeper({ volumeMounts: [shared] })],
    });
    assert.equal(inside(pod, ["stat", "-fc", "%T", "/shared"]), "tmpfs");
    inside(pod, ["dd", "if=/dev/zero", "of=/shared/file", "bs=512k", "count=1"]);
    assert.throws(
      () => inside(pod, ["dd", "if=/dev/zero", "of=/shared/more", "bs=512k", "count=2"]),
      /No space left on device/,
    );
  });

  it("reads and writes the machine's own directories where it may", async () => {
    home.write({ "host/in": "from the machine" });
    const path = home.join("host");
    const pod = await cluster.runningPod("host-path", {
      volumes: [{ name: "host", hostPath: { path, type: "Directory" } }],
      containers: [
        sleeper({
          volumeMounts: [
            { name: "host", mountPath: "/rw" },
            { name: "host", mountPath: "/ro", readOnly: true },
          ],
        }),
      ],
    });
    assert.equal(inside(pod, ["cat", "/ro/in"]), "from the machine");
    inside(pod, ["sh", "-c", "echo back > /rw/out"]);
    assert.equal(readFileSync(home.join("host/out"), "utf8"), "back\n");
    assert.throws(() => inside(pod, ["sh", "-c", "echo x > /ro/out"]), /Read-only file system/);
    await cluster.delete("pods/host-path");
    await cluster.podGone("host-path");
    assert.equal(readFileSync(home.join("host/in"), "utf8"), "from the machine");
  });

  it("waits for a directory of the machine that is not there", async () => {
    const missing = home.join("missing");
    await cluster.makePod("no-host-path", {
      volumes: [{ name: "host", hostPath: { path: missing, type: "Directory" } }],
      containers: [sleeper({ volumeMounts: [{ name: "host", mountPath: "/host" }] })],
    });
    await cluster.eventually("an event", async () => {
      const events = await cluster.events("no-host-path");
      assert.ok(
        events.some(
          ({ message }) =>
            message ===
            `MountVolume.SetUp failed for volume "host" : hostPath type check failed, ${missing} is not a directory, unable to determine its type: path "${missing}" does not exist`,
        ),
      );
    });
    await showsColumns("no-host-path", "0/1 ContainerCreating 0");
    home.write({ "missing/in": "there" });
    await cluster.podIn("no-host-path", "Running");
  });

  it("has a log with every line of both streams, in the CRI's form", async () => {
    const script = "echo out; echo err >&2; printf '%020000d\\n' 7; printf 'no end'";
    await cluster.makePod("talks", { restartPolicy: "Never", containers: [shell(script)] });
    const pod = await cluster.podIn("talks", "Succeeded");
    const lines = logLines(cluster.node.dataDir, pod);
    const of = (stream: string): readonly string[] =>
      lines
        .filter((one) => one.stream === stream)
        .map(({ tag, text }) => `${tag} ${text.length} ${text.slice(-6)}`);
    assert.deepEqual(of("stderr"), ["F 3 err"]);
    assert.deepEqual(of("stdout"), [
      "F 3 out",
      `P 16384 000000`,
      `F ${20_000 - 16_384} 000007`,
      "P 6 no end",
    ]);
  });
});
