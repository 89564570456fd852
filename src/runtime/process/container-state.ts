// What is remembered of a container on disk. No environment and no arguments: they may hold secrets.

import { fstatSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import type { MountMark } from "../../mounts/mount-mark.ts";
import type { ProcessIdentity } from "../../mounts/process-calls.ts";
import type { CgroupPlace } from "../cgroups/cgroup-place.ts";
import type { ContainerSecurity, ContainerStatus, ContainerUser } from "../runtime.ts";
import type { ContainerFiles } from "./container-files.ts";

export interface ContainerState {
  readonly version: 1;
  /** Of the machine's start: with another one, no process of this container is left. */
  readonly bootId: string;
  readonly shim: ProcessIdentity;
  readonly stopSignal: number;
  /** It sees no other processes than its own: all of them end with the first. */
  readonly hasOwnProcesses: boolean;
  /** With what programs are started in it later. */
  readonly user: ContainerUser;
  readonly security: ContainerSecurity;
  readonly workingDir: string;
  /** Missing in what older versions wrote down. */
  readonly cgroup?: CgroupPlace;
  readonly status: Omit<ContainerStatus, "pid" | "end" | "mountMarks">;
}

export function writeState(files: ContainerFiles, state: ContainerState): void {
  const temporary = `${files.state}.tmp`;
  writeFileSync(temporary, JSON.stringify(state), { mode: 0o600 });
  renameSync(temporary, files.state);
}

/** Undefined if there is none that can be read: then nothing was started, or the machine lost power while it was. */
export function readState(files: ContainerFiles): ContainerState | undefined {
  const state = readJson(files.state) as Partial<ContainerState> | undefined;
  return state?.version === 1 && state.status && state.shim ? (state as ContainerState) : undefined;
}

/** Who the container's first process is; undefined if it never came to be. */
export function readInit(files: ContainerFiles): ProcessIdentity | undefined {
  return readJson(files.init) as ProcessIdentity | undefined;
}

/** What the launcher has mounted, by path. */
export function readMountMarks(files: ContainerFiles): Readonly<Record<string, MountMark>> {
  return (readJson(files.mounts) ?? {}) as Readonly<Record<string, MountMark>>;
}

/** Until somebody knows better. Takes the room on the disk that it will need. */
export function reserveFailure(files: ContainerFiles): void {
  writeFileSync(files.failure, "the launcher was not started", { mode: 0o600 });
}

/** The program starts now. Blank, but as long as it was: if it fails after all, there is room to say so. */
export function clearFailure(fd: number): void {
  writeSync(fd, " ".repeat(fstatSync(fd).size), 0);
}

/** Why the program did not start; "" if it did. */
export function readFailure(files: ContainerFiles): string {
  try {
    return readFileSync(files.failure, "utf8").trim();
  } catch {
    return "the launcher was not started";
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    // Missing or cut short: both mean that it was not finished.
    return undefined;
  }
}

/** New with each start of the machine. */
export function bootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}
