// A container's resources as files of its cgroups. The numbers are the kubelet's and, from version 1 to version 2, those of other runtimes.

import type { ContainerResources } from "../runtime.ts";
import type { Controller, Hierarchy } from "./cgroup-hierarchies.ts";

export interface Setting {
  readonly file: string;
  readonly value: string;
  /** Not every kernel has the file. */
  readonly isOptional: boolean;
}

const minShares = 2;
const maxShares = 262_144;
const sharesPerProcessor = 1024;
/** In microseconds. */
const period = 100_000;
const minQuota = 1000;

export function settingsOf(
  controller: Controller,
  version: Hierarchy["version"],
  resources: ContainerResources,
): readonly Setting[] {
  switch (controller) {
    case "cpu":
      return cpuSettings(version, resources);
    case "memory":
      return memorySettings(version, resources);
    case "pids":
      return resources.pidsLimit === undefined
        ? []
        : [needed("pids.max", Math.max(1, resources.pidsLimit))];
  }
}

function cpuSettings(
  version: Hierarchy["version"],
  { milliCpuRequest, milliCpuLimit }: ContainerResources,
): readonly Setting[] {
  const shares = sharesOf(milliCpuRequest);
  const quota = milliCpuLimit === undefined ? undefined : quotaOf(milliCpuLimit);
  if (version === 1) {
    const weight = needed("cpu.shares", shares);
    return quota === undefined
      ? [weight]
      : [weight, optional("cpu.cfs_period_us", period), optional("cpu.cfs_quota_us", quota)];
  }
  const weight = needed("cpu.weight", weightOf(shares));
  return quota === undefined ? [weight] : [weight, needed("cpu.max", `${quota} ${period}`)];
}

function memorySettings(
  version: Hierarchy["version"],
  { memoryLimitBytes }: ContainerResources,
): readonly Setting[] {
  if (memoryLimitBytes === undefined) {
    return [];
  }
  if (version === 1) {
    return [
      needed("memory.limit_in_bytes", memoryLimitBytes),
      // Memory and swap together, so that nothing of it is swapped. After the other: it may not be less.
      optional("memory.memsw.limit_in_bytes", memoryLimitBytes),
    ];
  }
  return [
    needed("memory.max", memoryLimitBytes),
    optional("memory.swap.max", 0),
    // What is left of a program after one of its processes was killed is rarely of use.
    optional("memory.oom.group", 1),
  ];
}

export function sharesOf(milliCpu: number): number {
  const shares = Math.floor((milliCpu * sharesPerProcessor) / 1000);
  return Math.min(maxShares, Math.max(minShares, shares));
}

function quotaOf(milliCpu: number): number {
  return Math.max(minQuota, Math.floor((milliCpu * period) / 1000));
}

/** From 2 … 262144 to 1 … 10000, so that 1024, which is one processor, is 100, which is the kernel's default: a parabola of logarithms. */
export function weightOf(shares: number): number {
  const log = Math.log2(shares);
  const exponent = (log * log + 125 * log) / 612 - 7 / 34;
  return Math.min(10_000, Math.ceil(10 ** exponent));
}

function needed(file: string, value: number | string): Setting {
  return { file, value: String(value), isOptional: false };
}

function optional(file: string, value: number | string): Setting {
  return { ...needed(file, value), isOptional: true };
}
