// On directories that look like cgroups. What needs the kernel is in test/runtime/cgroups.test.ts.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { systemClock } from "../../base/clock.ts";
import { type TempDir, tempDir } from "../../base/testing/temp-dir.ts";
import type { ContainerResources } from "../runtime.ts";
import type { Hierarchy } from "./cgroup-hierarchies.ts";
import { Cgroups } from "./cgroups.ts";

const dataDirectory = "/var/lib/agent";
const agentName = createHash("sha256").update(dataDirectory).digest("hex").slice(0, 12);
const place = { podUid: "uid-1", id: "c1" };
const resources: ContainerResources = {
  memoryLimitBytes: 4096,
  milliCpuRequest: 1000,
  milliCpuLimit: 250,
  pidsLimit: 7,
  oomScoreAdjust: 0,
};
const all = "cpu memory pids";

function cgroups(...hierarchies: readonly Hierarchy[]): Cgroups {
  return new Cgroups({ dataDirectory, hierarchies: () => hierarchies, clock: systemClock });
}

/** A tree of version 2 in which the container's groups are there already, with the kernel's files. */
function versionTwo(dir: TempDir, base: string, subtree: string): Hierarchy {
  const group = { "cgroup.procs": "", "cgroup.subtree_control": subtree };
  const container = {
    ...{ "cgroup.procs": "", "memory.max": "max", "cpu.weight": "100", "cpu.max": "max 100000" },
    ...{ "pids.max": "max", "memory.oom.group": "0", "memory.events": "oom 2\noom_kill 0\n" },
  };
  const path = ["driftless", agentName, "poduid-1", "c1"];
  for (let depth = 0; depth <= path.length; depth++) {
    const directory = join(base, ...path.slice(0, depth));
    const files = Object.entries(depth === path.length ? container : group);
    dir.write(Object.fromEntries(files.map(([name, text]) => [join(directory, name), text])));
  }
  return {
    version: 2,
    controllers: ["cpu", "memory", "pids"],
    root: dir.path,
    own: dir.join(base),
  };
}

describe("Cgroups", () => {
  it("makes a group for the container below one for its pod, with its limits", () => {
    using dir = tempDir();
    const groups = cgroups(versionTwo(dir, "agent", all));
    const made = groups.make(place, resources);
    const directory = dir.join("agent", "driftless", agentName, "poduid-1", "c1");
    assert.deepEqual(made, {
      groups: [
        { version: 2, controllers: ["cpu", "memory", "pids"], directory, base: dir.join("agent") },
      ],
    });
    const read = (name: string): string => readFileSync(join(directory, name), "utf8");
    assert.match(read("memory.max"), /^4096/);
    assert.match(read("cpu.max"), /^25000 100000/);
    assert.match(read("pids.max"), /^7/);
    assert.match(read("memory.oom.group"), /^1/);
    assert.deepEqual(groups.missing(), []);
  });

  it("goes up to the next group that may have children with limits", () => {
    using dir = tempDir();
    const { own: _, ...rest } = versionTwo(dir, "slice", all);
    // It has processes of its own: the kernel refuses to switch anything on, as this file does not change.
    dir.write({
      "slice/agent.scope/cgroup.procs": "1\n",
      "slice/agent.scope/cgroup.subtree_control": "",
    });
    const groups = cgroups({ ...rest, own: dir.join("slice", "agent.scope") });
    assert.equal(groups.make(place, resources).groups[0]?.base, dir.join("slice"));
  });

  it("works without controllers, and says which are missing", () => {
    using dir = tempDir();
    const groups = cgroups({
      version: 2,
      controllers: ["memory"],
      root: dir.path,
      own: dir.join("gone"),
    });
    assert.deepEqual(groups.missing(), ["cpu", "memory", "pids"]);
    assert.deepEqual(groups.make(place, resources), { groups: [] });
    assert.equal(groups.isOutOfMemory({ groups: [] }), false);
  });

  it("sees that a process was killed for want of memory, in both versions", () => {
    using dir = tempDir();
    dir.write({
      "one/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n",
      "two/memory.events": "low 0\nmax 9\noom 1\noom_kill 1\noom_group_kill 0\n",
      "calm/memory.events": "low 0\nmax 9\noom 1\noom_kill 0\n",
    });
    const isOut = (name: string, version: 1 | 2): boolean =>
      cgroups().isOutOfMemory({
        groups: [
          { version: 1, controllers: ["cpu"], directory: "/nowhere", base: "/nowhere" },
          { version, controllers: ["memory"], directory: dir.join(name), base: dir.path },
        ],
      });
    assert.equal(isOut("one", 1), true);
    assert.equal(isOut("two", 2), true);
    assert.equal(isOut("calm", 2), false);
    assert.equal(isOut("gone", 2), false);
  });

  it("leaves nothing behind if a limit cannot be set", () => {
    using dir = tempDir();
    dir.write({ "cgroup.procs": "" });
    const groups = cgroups({
      version: 1,
      controllers: ["memory"],
      root: dir.path,
      own: dir.path,
    });
    assert.throws(
      () => groups.make(place, resources),
      /^Error: Cannot set memory\.limit_in_bytes to 4096 in the cgroup /,
    );
    assert.deepEqual(readdirSync(dir.path), ["cgroup.procs"]);
  });
});
