import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ContainerResources } from "../runtime.ts";
import { settingsOf, sharesOf, weightOf } from "./cgroup-limits.ts";

const nothing: ContainerResources = {
  memoryLimitBytes: undefined,
  milliCpuRequest: 0,
  milliCpuLimit: undefined,
  pidsLimit: undefined,
  oomScoreAdjust: 0,
};

const written = (...args: Parameters<typeof settingsOf>): readonly string[] =>
  settingsOf(...args).map(({ file, value }) => `${file}=${value}`);

describe("settingsOf", () => {
  it("sets only the smallest share if nothing is asked for", () => {
    assert.deepEqual(written("cpu", 1, nothing), ["cpu.shares=2"]);
    assert.deepEqual(written("cpu", 2, nothing), ["cpu.weight=1"]);
    for (const version of [1, 2] as const) {
      assert.deepEqual(written("memory", version, nothing), []);
      assert.deepEqual(written("pids", version, nothing), []);
    }
  });

  it("limits time, memory and processes", () => {
    const resources = {
      ...nothing,
      milliCpuRequest: 500,
      milliCpuLimit: 1500,
      memoryLimitBytes: 1024,
      pidsLimit: 100,
    };
    assert.deepEqual(written("cpu", 1, resources), [
      "cpu.shares=512",
      "cpu.cfs_period_us=100000",
      "cpu.cfs_quota_us=150000",
    ]);
    assert.deepEqual(written("cpu", 2, resources), ["cpu.weight=59", "cpu.max=150000 100000"]);
    assert.deepEqual(written("memory", 1, resources), [
      "memory.limit_in_bytes=1024",
      "memory.memsw.limit_in_bytes=1024",
    ]);
    assert.deepEqual(written("memory", 2, resources), [
      "memory.max=1024",
      "memory.swap.max=0",
      "memory.oom.group=1",
    ]);
    assert.deepEqual(written("pids", 1, resources), ["pids.max=100"]);
  });

  it("gives at least a hundredth of a processor", () => {
    assert.deepEqual(
      written("cpu", 2, { ...nothing, milliCpuLimit: 1 }).at(-1),
      "cpu.max=1000 100000",
    );
  });
});

describe("sharesOf and weightOf", () => {
  it("agree with the kubelet and with other runtimes at the ends and at one processor", () => {
    assert.deepEqual([0, 1, 100, 1000, 1_000_000].map(sharesOf), [2, 2, 102, 1024, 262_144]);
    assert.deepEqual([2, 1024, 262_144].map(weightOf), [1, 100, 10_000]);
  });
});
