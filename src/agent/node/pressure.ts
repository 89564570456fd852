// Whether the machine is short of something. The limits are the kubelet's for evictions, and so is the rule that pressure is
// over only after it has been gone for a while: what stands on the edge would make pods come and go.

import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { DiskSpace } from "./disk-space.ts";
import { memoryField, textOf } from "./machine.ts";

export interface Pressures {
  readonly memory: boolean;
  readonly disk: boolean;
  readonly pid: boolean;
}

/** Free memory that pods cannot have. */
export const RESERVED_MEMORY_BYTES: number = 100 * 1024 * 1024;
/** The share of the disk that pods cannot have. */
export const RESERVED_DISK_SHARE = 0.1;
const RESERVED_INODE_SHARE = 0.05;
const RESERVED_PID_SHARE = 0.1;
const OVER_AFTER_MS = 5 * 60_000;

interface ProcessCount {
  readonly running: number;
  /** 0 if it is not known. */
  readonly max: number;
}

export interface Room {
  readonly disk: DiskSpace;
  /** 0 if it is not known. */
  readonly freeMemoryBytes: number;
  readonly processes: ProcessCount;
}

export function readRoom(root: string, disk: DiskSpace): Room {
  const text = (path: string): string => textOf(join(root, path));
  const limits = ["pid_max", "threads-max"].map((name) => Number(text(`proc/sys/kernel/${name}`)));
  const [, running] = /\/(\d+) \d+$/.exec(text("proc/loadavg")) ?? [];
  return {
    disk,
    freeMemoryBytes: memoryField(text("proc/meminfo"), "MemAvailable"),
    processes: { running: Number(running ?? 0), max: Math.min(...limits) },
  };
}

/** As it is at this moment. */
export function pressuresOf({ disk, freeMemoryBytes, processes }: Room): Pressures {
  const { totalBytes, freeBytes, totalInodes, freeInodes } = disk;
  const isShort = (free: number, total: number, share: number): boolean =>
    total > 0 && free < total * share;
  return {
    memory: freeMemoryBytes > 0 && freeMemoryBytes < RESERVED_MEMORY_BYTES,
    disk:
      isShort(freeBytes, totalBytes, RESERVED_DISK_SHARE) ||
      isShort(freeInodes, totalInodes, RESERVED_INODE_SHARE),
    pid: isShort(processes.max - processes.running, processes.max, RESERVED_PID_SHARE),
  };
}

/** Remembers when pressure was last seen. */
export class PressureMemory {
  readonly #clock: Clock;
  /** Monotonic. */
  readonly #seenMs = new Map<keyof Pressures, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What is to be told: pressure that is there, or was a short while ago. */
  tell(now: Pressures): Pressures {
    return {
      memory: this.#lasts("memory", now),
      disk: this.#lasts("disk", now),
      pid: this.#lasts("pid", now),
    };
  }

  #lasts(of: keyof Pressures, now: Pressures): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (now[of]) this.#seenMs.set(of, nowMs);
    const seenMs = this.#seenMs.get(of);
    return seenMs !== undefined && nowMs - seenMs < OVER_AFTER_MS;
  }
}
