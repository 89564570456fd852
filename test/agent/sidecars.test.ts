// Sidecars, and containers that are added to a pod that runs, with real containers.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Container, ContainerStatus, Pod } from "../../src/api/types.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { Cluster, sleeper } from "./cluster.ts";
import { logText } from "./container-log.ts";

const skip = process.getuid?.() === 0 ? false : "containers need root here";

describe("a pod with sidecars", { skip, concurrency: 4 }, () => {
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

  /** Runs the script; what it does to /out is in `home`. */
  function shell(name: string, script: string, parts: Partial<Container> = {}): Container {
    const volumeMounts = [{ name: "out", mountPath: "/out" }];
    return sleeper({ name, command: ["sh", "-c", script], volumeMounts, ...parts });
  }
  const sidecar = (name: string, script: string, parts: Partial<Container> = {}): Container =>
    shell(name, script, { restartPolicy: "Always", ...parts });
  const volumes = () => [{ name: "out", hostPath: { path: home.path } }];
  const forever = (atTheEnd: string, whenTrapped = "true"): string =>
    `trap '${atTheEnd}; exit 0' TERM; ${whenTrapped}; sleep infinity & wait`;
  const linesOf = (file: string): string[] =>
    readFileSync(home.join(file), "utf8").trimEnd().split("\n");
  const statusOf = ({ status }: Pod, name: string): ContainerStatus | undefined =>
    [
      ...(status?.initContainerStatuses ?? []),
      ...(status?.containerStatuses ?? []),
      ...(status?.ephemeralContainerStatuses ?? []),
    ].find((one) => one.name === name);
  const isReady = ({ status }: Pod): boolean =>
    status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";

  it("starts who follows a sidecar when it has started, and keeps it running", async () => {
    const started = { exec: { command: ["test", "-e", "/out/order-go"] }, periodSeconds: 1 };
    const pod = await cluster.makePod("order", {
      volumes: volumes(),
      initContainers: [
        sidecar("first", `echo first >> /out/order; ${forever("true")}`, {
          startupProbe: { ...started, failureThreshold: 60 },
        }),
        shell("second", "echo second >> /out/order"),
      ],
      containers: [shell("main", `echo main >> /out/order; ${forever("true")}`)],
    });
    const waiting = await cluster.podWhere(
      "order",
      "a sidecar that runs",
      (one) => statusOf(one, "first")?.state.running !== undefined,
    );
    assert.equal(statusOf(waiting, "first")?.started, false);
    assert.equal(statusOf(waiting, "second")?.state.waiting?.reason, "PodInitializing");
    assert.equal(waiting.status?.phase, "Pending");

    writeFileSync(home.join("order-go"), "");
    const running = await cluster.podWhere("order", "all of it ready", isReady);
    await cluster.eventually("what all of them wrote", () =>
      assert.deepEqual(linesOf("order"), ["first", "second", "main"]),
    );
    assert.equal(statusOf(running, "first")?.state.running === undefined, false);
    assert.equal(running.metadata.uid, pod.metadata.uid);
  });

  it("is over when its regular containers are, and stops sidecars in reverse", async () => {
    await cluster.makePod("job", {
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 30,
      volumes: volumes(),
      initContainers: [
        sidecar("s1", forever("echo s1 >> /out/job", "touch /out/job-s1")),
        sidecar("s2", forever("sleep 0.2; echo s2 >> /out/job", "touch /out/job-s2")),
      ],
      containers: [
        shell(
          "main",
          "until test -e /out/job-s1 -a -e /out/job-s2; do sleep 0.1; done; echo main >> /out/job",
        ),
      ],
    });
    const pod = await cluster.podIn("job", "Succeeded");
    assert.deepEqual(linesOf("job"), ["main", "s2", "s1"]);
    assert.equal(statusOf(pod, "s1")?.state.terminated?.exitCode, 0);
    assert.equal(statusOf(pod, "main")?.state.terminated?.reason, "Completed");
  });

  it("restarts a sidecar that dies beside the others", async () => {
    const pod = await cluster.runningPod("dies", {
      volumes: volumes(),
      restartPolicy: "OnFailure",
      initContainers: [sidecar("side", forever("true"))],
    });
    process.kill(cluster.node.containerPid(pod, "side"), "SIGKILL");
    const again = await cluster.podWhere("dies", "its sidecar again", (one) => {
      const { restartCount, state } = statusOf(one, "side") ?? {};
      return restartCount === 1 && state?.running !== undefined;
    });
    assert.equal(statusOf(again, "side")?.lastState.terminated?.exitCode, 137);
    assert.equal(statusOf(again, "main")?.restartCount, 0);
    assert.equal(again.status?.phase, "Running");
  });

  it("is ready when its sidecars are", async () => {
    const command = ["test", "-e", "/out/ready-go"];
    await cluster.makePod("ready", {
      volumes: volumes(),
      initContainers: [
        sidecar("side", forever("true"), {
          readinessProbe: { exec: { command }, periodSeconds: 1 },
        }),
      ],
    });
    const pod = await cluster.podIn("ready", "Running");
    assert.equal(isReady(pod), false);
    writeFileSync(home.join("ready-go"), "");
    const ready = await cluster.podWhere("ready", "readiness", isReady);
    assert.equal(statusOf(ready, "side")?.ready, true);
  });

  const addDebug = (pod: string, parts: object): Promise<unknown> =>
    cluster.change(`pods/${pod}/ephemeralcontainers`, {
      spec: { ephemeralContainers: [{ name: "debug", image: "host", ...parts }] },
    });

  it("sees another container's processes from one that is added for it, once", async () => {
    const marked = ["sh", "-c", "trap 'exit 0' TERM; : marked-target; sleep infinity & wait"];
    await cluster.runningPod("debugged", { containers: [sleeper({ command: marked })] });
    const script = "tr '\\0' ' ' < /proc/1/cmdline; echo; exit 4";
    const command = ["sh", "-c", script];
    await addDebug("debugged", { command, targetContainerName: "main" });
    const pod = await cluster.podWhere(
      "debugged",
      "an ended ephemeral container",
      (one) => statusOf(one, "debug")?.state.terminated !== undefined,
    );
    assert.equal(statusOf(pod, "debug")?.state.terminated?.exitCode, 4);
    assert.match(logText(cluster.node.dataDir, pod, "debug").join("\n"), /marked-target/);
    assert.equal(statusOf(pod, "debug")?.restartCount, 0);
    assert.ok(isReady(pod));
    assert.equal(pod.status?.phase, "Running");
  });

  it("stops what was added to it with the rest", async () => {
    await cluster.runningPod("debugged-2", { volumes: volumes() });
    const command = ["sh", "-c", "sleep infinity"];
    await addDebug("debugged-2", { command, stdin: true, tty: true });
    const pod = await cluster.podWhere(
      "debugged-2",
      "an ephemeral container",
      (one) => statusOf(one, "debug")?.state.running !== undefined,
    );
    const pid = cluster.node.containerPid(pod, "debug");
    await cluster.delete("pods/debugged-2");
    await cluster.podGone("debugged-2");
    assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
  });

  it("lets containers see each other if the pod wants it", async () => {
    const marked = ["sh", "-c", "trap 'exit 0' TERM; : marked-peer; sleep infinity & wait"];
    const pod = await cluster.runningPod("peers", {
      shareProcessNamespace: true,
      containers: [sleeper({ name: "a" }), sleeper({ name: "b", command: marked })],
    });
    const script = "cat /proc/[0-9]*/cmdline | tr '\\0' ' '";
    await cluster.eventually("the peer's process", () =>
      assert.match(cluster.node.inContainer(pod, ["sh", "-c", script], "a"), /marked-peer/),
    );
  });
});
