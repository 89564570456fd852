import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseMountInfo } from "../../mounts/mount-info.ts";
import { findHierarchies } from "./cgroup-hierarchies.ts";

const find = (membership: string, mountInfo: string, available = "") =>
  findHierarchies({
    membership,
    mounts: parseMountInfo(mountInfo),
    available: () => available,
  });

const line = (path: string, type: string, options: string, root = "/"): string =>
  `30 24 0:26 ${root} ${path} rw,nosuid - ${type} cgroup ${options}\n`;

describe("findHierarchies", () => {
  it("finds version 2 with the controllers that it has", () => {
    const mounts = line("/sys/fs/cgroup", "cgroup2", "rw,nsdelegate");
    assert.deepEqual(
      find("0::/system.slice/agent.service\n", mounts, "cpuset cpu io memory pids\n"),
      [
        {
          version: 2,
          controllers: ["cpu", "memory", "pids"],
          root: "/sys/fs/cgroup",
          own: "/sys/fs/cgroup/system.slice/agent.service",
        },
      ],
    );
  });

  it("finds each tree of version 1, and none for the controllers that we do not use", () => {
    const mounts =
      line("/sys/fs/cgroup/cpu,cpuacct", "cgroup", "rw,cpu,cpuacct") +
      line("/sys/fs/cgroup/memory", "cgroup", "rw,memory") +
      line("/sys/fs/cgroup/freezer", "cgroup", "rw,freezer") +
      line("/sys/fs/cgroup/systemd", "cgroup", "rw,xattr,name=systemd") +
      line("/sys/fs/cgroup/unified", "cgroup2", "rw");
    const membership =
      "5:name=systemd:/\n4:freezer:/\n3:memory:/a/b\n2:cpu,cpuacct:/\n1:pids:/\n0::/\n";
    assert.deepEqual(find(membership, mounts, "hugetlb"), [
      {
        version: 1,
        controllers: ["memory"],
        root: "/sys/fs/cgroup/memory",
        own: "/sys/fs/cgroup/memory/a/b",
      },
      {
        version: 1,
        controllers: ["cpu"],
        root: "/sys/fs/cgroup/cpu,cpuacct",
        own: "/sys/fs/cgroup/cpu,cpuacct",
      },
    ]);
  });

  it("knows its place when it sees a part of the tree only, and has none outside of it", () => {
    const mounts = line("/sys/fs/cgroup", "cgroup2", "rw", "/docker/1");
    assert.equal(find("0::/docker/1/x\n", mounts, "memory")[0]?.own, "/sys/fs/cgroup/x");
    assert.equal(find("0::/docker/1\n", mounts, "memory")[0]?.own, "/sys/fs/cgroup");
    assert.deepEqual(find("0::/docker/10\n", mounts, "memory"), []);
    const own = line("/sys/fs/cgroup", "cgroup2", "rw");
    assert.deepEqual(find("0::/../..\n", own, "memory"), []);
  });

  it("finds nothing where nothing is", () => {
    assert.deepEqual(find("", ""), []);
    assert.deepEqual(find("0::/\n", ""), []);
  });
});
