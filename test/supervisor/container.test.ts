// `driftless run` as the first process of a container of ours, started by a real agent: what it reaps, passes on, ends and restarts, and what the
// pod's view says of it.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, before, describe, it, type TestContext } from "node:test";
import type { ConfigUse, ConfigView, Pod } from "../../src/api/types.ts";
import { Cluster, sleeper } from "../agent/cluster.ts";
import { logText } from "../agent/container-log.ts";
import { cannotRun } from "../runtime/live-runtime.ts";
import { LONG } from "../support/campaign.ts";
import { Inspected } from "./inspected.ts";
import { runProgram } from "./run-process.ts";

const views = "/apis/driftless.dev/v1/namespaces/default/configviews";
const restarts = LONG ? 1000 : 12;
/** Everything was needed once by then, and compiled if it is needed often. */
const warmUp = LONG ? 500 : 8;
/** In a container that nobody else is in. */
const zombies = "grep -l '^State:.Z' /proc/[0-9]*/status 2>/dev/null | wc -l";

interface Started {
  readonly flags?: readonly string[];
  readonly script: string;
  readonly node?: readonly string[];
  readonly grace?: number;
  readonly restartPolicy?: string;
}

describe("run as the first process of a container of ours", {
  skip: cannotRun,
  timeout: LONG ? 1_800_000 : 180_000,
}, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await Cluster.start();
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  /** A pod with a ConfigMap of its name at /etc/config. */
  async function start(name: string, of: Started): Promise<Pod> {
    const { flags = [], script, node = [], grace = 30, restartPolicy = "Never" } = of;
    const [program = "", ...rest] = runProgram;
    await cluster.makeConfigMap(name, { data: { A: "1" } });
    await cluster.makePod(name, {
      restartPolicy,
      terminationGracePeriodSeconds: grace,
      containers: [
        sleeper({
          command: [program, ...node, ...rest, ...flags, "--", "sh", "-c", script],
          volumeMounts: [{ name: "config", mountPath: "/etc/config" }],
        }),
      ],
      volumes: [{ name: "config", configMap: { name } }],
    });
    return cluster.podWhere(name, "a container", ({ status }) =>
      Boolean(status?.containerStatuses?.[0]?.containerID),
    );
  }

  const lines = (pod: Pod): readonly string[] => logText(cluster.node.dataDir, pod);

  const printed = (pod: Pod, line: string): Promise<void> =>
    cluster.eventually(`"${line}" of ${pod.metadata.name}`, () =>
      assert.ok(lines(pod).includes(line), lines(pod).slice(-20).join("\n")),
    );

  const set = (name: string, A: string): Promise<unknown> =>
    cluster.change(`configmaps/${name}`, { data: { A } });

  const exitCode = async (name: string): Promise<number | undefined> => {
    const ended = await cluster.podWhere(name, "an end", ({ status }) =>
      Boolean(status?.containerStatuses?.[0]?.state?.terminated),
    );
    return ended.status?.containerStatuses?.[0]?.state?.terminated?.exitCode;
  };

  const use = async (name: string): Promise<ConfigUse> => {
    const { uses } = await cluster.ask<ConfigView>("GET", `${views}/${name}`);
    const [found] = uses ?? [];
    assert.ok(found, "its view has no use yet");
    return found;
  };

  it("lets go of whoever lost its parent, loses no exit code, and ends with its program's", async () => {
    // A hundred double forks, each left by its parent at once and ended a little later.
    const forks = "for i in $(seq 100); do (sh -c 'sleep 0.2 & exit' &); done";
    const wait = `n=1; for i in $(seq 600); do n=$(${zombies}); test $n = 0 && break; sleep 0.1; done`;
    const script = `echo parent $PPID; ${forks}; sleep 0.5; ${wait}; echo zombies $n; exit 5`;
    const gate = "sh -c '(sleep 0.1 &); (sleep 0.1 &)'";
    const pod = await start("zombies", { flags: ["--gate", gate], script });
    assert.equal(await exitCode("zombies"), 5);
    const said = lines(pod).filter((line) => !line.startsWith("{"));
    assert.deepEqual(said, ["parent 1", "zombies 0"]);
  });

  it("passes signals on, and ends with what the program makes of the end of its pod", async () => {
    const signals = ["HUP", "USR1", "USR2", "INT", "QUIT", "ALRM", "WINCH", "CONT", "URG"];
    const traps = signals.map((name) => `trap 'echo got ${name}' ${name}`).join("; ");
    const script = `${traps}; trap 'echo got TERM; exit 9' TERM; echo up; while :; do sleep 0.05; done`;
    const pod = await start("signals", { script });
    await printed(pod, "up");
    for (const name of signals) {
      cluster.node.inContainer(pod, ["kill", `-${name}`, "1"]);
      await printed(pod, `got ${name}`);
    }
    cluster.node.inContainer(pod, ["kill", "-TERM", "1"]);
    assert.equal(await exitCode("signals"), 9);
    await printed(pod, "got TERM");
  });

  it("leaves a program that ignores TERM to the pod's own grace, or kills it after that of its flag", async () => {
    const script =
      "trap '' TERM; echo up; (trap '' TERM; exec sleep 1000) & while :; do sleep 0.05; done";
    const pod = await start("stubborn", { flags: ["--grace", "300ms"], script, grace: 1000 });
    await printed(pod, "up");
    cluster.node.inContainer(pod, ["kill", "-TERM", "1"]);
    assert.equal(await exitCode("stubborn"), 137);
    const patient = await start("patient", { script, grace: 2 });
    await printed(patient, "up");
    await cluster.delete("pods/patient");
    await cluster.podGone("patient");
  });

  it(`restarts ${restarts} times without a leak of files, memory, processes or timers`, async (t: TestContext) => {
    // Each leaves a worker and an orphan behind.
    const script = "(sleep 1000 &); sleep 1000 & echo A=$A; exec sleep 1000";
    const flags = ["--env-from", "/etc/config", "--min-wait", "1ms", "--gate", "true"];
    const watch = ["--watch", "/etc/config", "--snapshot-dir", "/tmp"];
    const node = ["--inspect=127.0.0.1:0"];
    const pod = await start("restarts", { flags: [...flags, ...watch], script, node });
    await printed(pod, "A=1");
    const inspected = await Inspected.of(lines(pod));
    const pid = cluster.node.containerPid(pod);
    const stock = async (): Promise<Readonly<Record<string, number>>> => ({
      ...(await inspected.usage()),
      files: readdirSync(`/proc/${pid}/fd`).length,
      processes: Number(cluster.node.inContainer(pod, ["sh", "-c", "ls -d /proc/[0-9]* | wc -l"])),
    });
    let first: Readonly<Record<string, number>> = {};
    for (let n = 2; n <= restarts + 1; n++) {
      await set("restarts", String(n));
      await printed(pod, `A=${n}`);
      if (n === warmUp) first = await stock();
    }
    // Those of the last but one may be on their way out, with all that belongs to them.
    const last = await cluster.eventually("no more of anything than before", async () => {
      const now = await stock();
      const isMore = (now["processes"] ?? 0) > (first["processes"] ?? 0);
      assert.equal(isMore, false, JSON.stringify({ first, now }));
      for (const what of ["files", "timers", "handles"]) {
        // One more or less that is being closed.
        const isMuchMore = (now[what] ?? 0) > (first[what] ?? 0) + 2;
        assert.equal(isMuchMore, false, `${what}: ${JSON.stringify({ first, now })}`);
      }
      return now;
    });
    const growth = JSON.stringify({ first, last });
    const bytesEach = Math.round(
      ((last["heap"] ?? 0) - (first["heap"] ?? 0)) / (restarts + 1 - warmUp),
    );
    if (LONG) t.diagnostic(`${bytesEach} bytes for each: ${growth}`);
    // A child that is not let go has half as much again.
    assert.ok(!LONG || bytesEach < 1000, `${bytesEach} bytes for each: ${growth}`);
    inspected.close();
  });

  it("says what its program has: in the pod's view, also what was refused and why", async () => {
    const gate = `sh -c 'test "$A" != bad'`;
    const flags = ["--env-from", "/etc/config", "--min-wait", "1ms", "--gate", gate];
    await start("view", { flags, script: "echo A=$A; exec sleep 1000" });
    const confirmed = (what: string): Promise<void> =>
      cluster.eventually(`the word for ${what}`, async () => {
        const { wanted, onDisk, applied, confirmedBy, drift } = await use("view");
        assert.equal(applied?.hash, wanted?.hash);
        assert.equal(onDisk?.hash, wanted?.hash);
        assert.equal(confirmedBy, "Library");
        assert.equal(drift, undefined);
      });
    await confirmed("the first");
    const { applied: good } = await use("view");
    await set("view", "bad");
    await cluster.eventually("the refusal", async () => {
      const { drift, applied } = await use("view");
      assert.equal(drift?.reason, "GateRejected");
      assert.match(drift?.message ?? "", /the command "sh" ended with 1/);
      assert.equal(applied?.hash, good?.hash);
    });
    await set("view", "3");
    await confirmed("the last");
  });
});
