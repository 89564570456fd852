// From a pod's security contexts and resources to its processes, and back to its status.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { ContainerState, Pod } from "../../src/api/types.ts";
import { cannotLimit } from "../runtime/container-cgroup.ts";
import { Cluster, sleeper } from "./cluster.ts";

const skip = process.getuid?.() === 0 ? false : "containers need root here";

describe("a pod's word on rights and resources", { skip }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await Cluster.start();
  });
  after(() => cluster?.[Symbol.asyncDispose]());

  const stateOf = ({ status }: Pod): ContainerState | undefined =>
    status?.containerStatuses?.[0]?.state;
  const statusFile = (pod: Pod): string =>
    cluster.node.inContainer(pod, [
      "grep",
      "-E",
      "^(CapBnd|CapEff|NoNewPrivs|Seccomp):",
      "/proc/1/status",
    ]);

  it("takes all rights from a container that wants none", async () => {
    const securityContext = {
      capabilities: { drop: ["ALL"] },
      allowPrivilegeEscalation: false,
      seccompProfile: { type: "RuntimeDefault" },
    };
    const pod = await cluster.runningPod("none", { containers: [sleeper({ securityContext })] });
    const zeros = "0".repeat(16);
    assert.equal(
      statusFile(pod),
      `CapEff:\t${zeros}\nCapBnd:\t${zeros}\nNoNewPrivs:\t1\nSeccomp:\t2\n`,
    );
  });

  it("gives a container that says nothing the usual ones, and the default filter", async () => {
    const pod = await cluster.runningPod("usual", {});
    const usual = "00000000a80425fb";
    assert.equal(
      statusFile(pod),
      `CapEff:\t${usual}\nCapBnd:\t${usual}\nNoNewPrivs:\t0\nSeccomp:\t2\n`,
    );
  });

  it("uses a profile of the node's directory, and says if it is not there", async () => {
    const profile = { type: "Localhost", localhostProfile: "no-mkdir.json" };
    const parts = {
      securityContext: { seccompProfile: profile },
      restartPolicy: "Never",
      containers: [sleeper({ command: ["mkdir", "/tmp/x"] })],
    };
    await cluster.makePod("early", parts);
    const early = await cluster.podWhere(
      "early",
      "a reason",
      (pod) => stateOf(pod)?.waiting?.message !== undefined,
    );
    assert.match(
      stateOf(early)?.waiting?.message ?? "",
      /^cannot load seccomp profile ".*no-mkdir\.json": open .*: no such file or directory$/,
    );
    const directory = join(cluster.node.dataDir, "seccomp");
    mkdirSync(directory, { recursive: true });
    const syscalls = [{ names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO" }];
    writeFileSync(
      join(directory, "no-mkdir.json"),
      JSON.stringify({ defaultAction: "SCMP_ACT_ALLOW", syscalls }),
    );
    await cluster.makePod("late", parts);
    const late = await cluster.podIn("late", "Failed");
    assert.equal(stateOf(late)?.terminated?.exitCode, 1);
  });

  it("ends a container that takes more memory than it may, and calls it OOMKilled", {
    skip: cannotLimit("memory"),
  }, async () => {
    const resources = { limits: { memory: "32Mi" } };
    const command = ["tail", "/dev/zero"];
    await cluster.makePod("hog", {
      restartPolicy: "Never",
      containers: [sleeper({ command, resources })],
    });
    const pod = await cluster.podIn("hog", "Failed");
    const { reason, exitCode } = stateOf(pod)?.terminated ?? {};
    assert.deepEqual({ reason, exitCode }, { reason: "OOMKilled", exitCode: 137 });
  });
});
