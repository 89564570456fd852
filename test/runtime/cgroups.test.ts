// Limits of containers, with the kernel that enforces them.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { identify } from "../../src/mounts/process-calls.ts";
import { Cgroups, systemHierarchies } from "../../src/runtime/cgroups/cgroups.ts";
import type { ContainerResources } from "../../src/runtime/runtime.ts";
import { cannotLimit, cgroupFile, placeOf } from "./container-cgroup.ts";
import { cannotRun, LiveRuntime, testResources, testSecurity } from "./live-runtime.ts";

const Mi = 1024 * 1024;

function limited(changes: Partial<ContainerResources>): { readonly resources: ContainerResources } {
  return { resources: { ...testResources, ...changes } };
}

describe("the cgroups of a container", { skip: cannotRun || cannotLimit("memory") }, () => {
  let live: LiveRuntime;
  before(async () => {
    live = await LiveRuntime.start();
  });
  after(() => live[Symbol.asyncDispose]());

  it("hold its processes and no other, and go with it, with all that is above them", async () => {
    const { id, pid } = await live.background("sleep 1000 & echo up; wait");
    const { groups } = placeOf(live.root, id);
    assert.ok(groups.length > 0);
    for (const { directory } of groups) {
      const members = readFileSync(join(directory, "cgroup.procs"), "utf8").trim().split("\n");
      assert.equal(members.length, 2, directory);
      assert.ok(members.includes(String(pid)));
    }
    await live.runtime.stop(id, { graceMs: 0 });
    await live.runtime.remove(id);
    for (const { directory } of groups) {
      assert.ok(!existsSync(directory));
      assert.ok(!existsSync(dirname(dirname(directory))), "the agent's own group is left");
    }
  });

  it("go with groups that a privileged program made in them, and with who is in those", async () => {
    const script =
      "for d in /sys/fs/cgroup /sys/fs/cgroup/*; do if mkdir $d/inner && test -e $d/inner/cgroup.procs; then sleep 1000 & echo $! >$d/inner/cgroup.procs; fi; done 2>/dev/null; echo up; sleep 1000";
    const security = { ...testSecurity, isPrivileged: true };
    const { id } = await live.background(script, { security, processes: "host" });
    const { groups } = placeOf(live.root, id);
    const inner = groups.map(({ directory }) => join(directory, "inner", "cgroup.procs"));
    const pids = inner.map((path) => Number(readFileSync(path, "utf8").trim().split("\n")[0]));
    assert.ok(pids.every((pid) => pid > 0));
    await live.runtime.stop(id, { graceMs: 0 });
    await live.runtime.remove(id);
    for (const { directory } of groups) assert.ok(!existsSync(directory));
    for (const pid of pids) assert.equal(identify(pid), undefined);
  });

  it("are gone after a start that came to nothing", async () => {
    const { id } = await live.background("echo up; sleep 1000");
    const pod = dirname(placeOf(live.root, id).groups[0]?.directory ?? "");
    await assert.rejects(live.runtime.start(live.spec({ argv: ["/no/such/program"] })));
    await live.runtime.stop(id, { graceMs: 0 });
    await live.runtime.remove(id);
    assert.ok(!existsSync(pod));
  });

  it("that an agent left behind when it was killed in the middle are removed by the next", async () => {
    const { id } = await live.background("echo up; sleep 1000");
    const directories = placeOf(live.root, id).groups.map(({ directory }) =>
      join(dirname(dirname(directory)), "pod-of-nobody", "half-made"),
    );
    for (const directory of directories) mkdirSync(directory, { recursive: true });
    const cgroups = new Cgroups({
      dataDirectory: live.root,
      hierarchies: systemHierarchies,
      clock: systemClock,
    });
    await cgroups.sweep((known) => known === id);
    for (const directory of directories) assert.ok(!existsSync(dirname(directory)));
    assert.equal(live.runtime.list().find((status) => status.id === id)?.end, undefined);
    await live.runtime.stop(id, { graceMs: 0 });
  });

  it("have its limits", async () => {
    const { id } = await live.background(
      "echo up; sleep 1000",
      limited({
        memoryLimitBytes: 64 * Mi,
        pidsLimit: 33,
        milliCpuLimit: 500,
        milliCpuRequest: 100,
      }),
    );
    const place = placeOf(live.root, id);
    const either = (controller: "cpu" | "memory" | "pids", ...names: readonly string[]): string =>
      names
        .map((name) => cgroupFile(place, controller, name))
        .join("")
        .trim();
    assert.equal(either("memory", "memory.limit_in_bytes", "memory.max"), String(64 * Mi));
    if (cannotLimit("pids") === false) assert.equal(either("pids", "pids.max"), "33");
    if (cannotLimit("cpu") === false) {
      assert.match(either("cpu", "cpu.cfs_quota_us", "cpu.max"), /^50000/);
    }
    await live.runtime.stop(id, { graceMs: 0 });
  });

  it("are what it sees at /sys/fs/cgroup, and it can only read them", async () => {
    const { output } = await live.sh(
      "cat /proc/self/cgroup; cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null; mkdir /sys/fs/cgroup/x /sys/fs/cgroup/memory/x 2>&1 | grep -c 'Read-only\\|No such'; ls /sys/fs/cgroup | grep -c driftless",
      limited({ memoryLimitBytes: 64 * Mi }),
    );
    assert.match(output, /^(\d+:(name=)?\w*:\/\n)*0::\/\n67108864\n2\n0\n$/m);
  });

  it("kill who takes more memory than it may, and that is said", async () => {
    const { status } = await live.sh("exec tail /dev/zero", limited({ memoryLimitBytes: 32 * Mi }));
    assert.equal(status.end?.exitCode, 137);
    assert.equal(status.end?.isOutOfMemory, true);
  });

  it("tell of a child that was killed for its memory, however the program ended", async () => {
    const script = "tail /dev/zero; echo it took $?; exit 3";
    const { status, output } = await live.sh(script, limited({ memoryLimitBytes: 32 * Mi }));
    assert.equal(status.end?.isOutOfMemory, true);
    // Version 2 kills all of it at once.
    if (status.end?.exitCode !== 137) {
      assert.equal(status.end?.exitCode, 3);
      assert.match(output, /it took 137/);
    }
  });

  it("do not call it out of memory if somebody else killed it", async () => {
    const { status } = await live.sh("kill -9 $$; exit 1", limited({ memoryLimitBytes: 32 * Mi }));
    assert.equal(status.end?.isOutOfMemory, false);
    const { id } = await live.background(
      "echo up; sleep 1000",
      limited({ memoryLimitBytes: 32 * Mi }),
    );
    await live.runtime.stop(id, { graceMs: 0 });
    assert.equal(live.runtime.list().find((one) => one.id === id)?.end?.isOutOfMemory, false);
  });

  it("do not count what the launcher needed: a small program lives with little memory", async () => {
    const { exitCode } = await live.sh("true", limited({ memoryLimitBytes: 8 * Mi }));
    assert.equal(exitCode, 0);
  });

  it("still tell the next agent", async () => {
    const { status } = await live.sh("exec tail /dev/zero", limited({ memoryLimitBytes: 32 * Mi }));
    await using next = await LiveRuntime.start(live.root);
    const found = next.runtime.list().find(({ id }) => id === status.id);
    assert.equal(found?.end?.isOutOfMemory, true);
    await next.leave();
  });

  it("let it be killed first when the machine is out of memory, as far as the agent may say", async () => {
    const { output } = await live.sh(
      "cat /proc/self/oom_score_adj",
      limited({ oomScoreAdjust: 1000 }),
    );
    assert.equal(output, "1000\n");
    const { exitCode, output: lowered } = await live.sh(
      "cat /proc/self/oom_score_adj",
      limited({ oomScoreAdjust: -997 }),
    );
    assert.equal(exitCode, 0);
    const own = readFileSync("/proc/self/oom_score_adj", "utf8");
    assert.ok(["-997\n", own].includes(lowered), lowered);
  });
});
