// The beginning of a container: a specification that can be run, a name, the files that must be there before anything is started.

import { chownSync, mkdirSync } from "node:fs";
import { constants } from "node:os";
import { isErrno } from "../../base/errors.ts";
import type { Random } from "../../base/random.ts";
import type { ProcessIdentity } from "../../mounts/process-calls.ts";
import { makeFifo } from "../../mounts/system-calls.ts";
import type { CgroupPlace } from "../cgroups/cgroup-place.ts";
import { type ContainerSpec, StartError } from "../runtime.ts";
import type { ContainerFiles } from "./container-files.ts";
import { bootId, type ContainerState, reserveFailure } from "./container-state.ts";
import { reserveExit } from "./shim.ts";

/** What execve would cut off without a word. */
export function checkSpec({ argv, env, workingDir }: ContainerSpec): void {
  if (argv.length === 0) {
    throw new StartError("no command specified");
  }
  for (const text of [...argv, workingDir, ...env.map(([name]) => name)]) {
    if (text.includes("\0")) {
      throw new StartError(
        "a command, working directory or variable's name has a null character in it",
      );
    }
  }
  for (const [name, value] of env) {
    if (value.includes("\0")) {
      throw new StartError(`the value of the variable ${name} has a null character in it`);
    }
  }
}

export function newId(random: Random): string {
  return Array.from({ length: 8 }, () => random.uint32().toString(16).padStart(8, "0")).join("");
}

/** The last of the real-time ones. */
const lastSignal = 64;

function signalNumber(name: string): number {
  const signals: Readonly<Record<string, number>> = constants.signals;
  const full = name.startsWith("SIG") ? name : `SIG${name}`;
  const number = /^\d+$/.test(name) ? Number(name) : signals[full];
  // One that the kernel does not know would make every attempt to stop the container fail.
  const isKnown = number !== undefined && number >= 1 && number <= lastSignal;
  return isKnown ? number : constants.signals.SIGTERM;
}

export interface NewState {
  readonly id: string;
  readonly spec: ContainerSpec;
  readonly shim: ProcessIdentity;
  readonly startedAtMs: number;
  readonly cgroup: CgroupPlace;
}

export function newState({ id, spec, shim, startedAtMs, cgroup }: NewState): ContainerState {
  const { podUid, podName, podNamespace, name, attempt, annotations, image, logPath } = spec;
  const names = { id, podUid, podName, podNamespace, name, attempt, annotations };
  return {
    version: 1,
    bootId: bootId(),
    shim,
    stopSignal: signalNumber(image.config.stopSignal),
    hasOwnProcesses: spec.processes === "own",
    user: spec.user,
    security: spec.security,
    workingDir: spec.workingDir === "" ? "/" : spec.workingDir,
    cgroup,
    status: {
      ...names,
      ...{ imageName: image.name, imageId: image.id, logPath, startedAtMs },
      ...{ hasTty: spec.hasTty, stdin: spec.stdin },
    },
  };
}

export function makeFiles(files: ContainerFiles, spec: ContainerSpec): void {
  mkdirSync(files.directory, { recursive: true, mode: 0o700 });
  mkdirSync(files.layers, { mode: 0o700 });
  reserveExit(files);
  reserveFailure(files);
  makeFifo(files.alive, 0o600);
  makeFifo(files.starting, 0o600);
  const stdin = spec.stdin === "none" ? [] : [files.stdin];
  for (const path of [files.stdout, files.stderr, ...stdin]) {
    makeFifo(path, 0o600);
    try {
      // Programs open /dev/stdout again, as their own user.
      chownSync(path, spec.user.uid, spec.user.gid);
    } catch (err) {
      if (!isErrno(err, "EINVAL")) {
        throw err;
      }
      throw new StartError(
        `cannot run as user ${spec.user.uid}, group ${spec.user.gid}: the agent runs in a user namespace in which they do not exist; give the namespace more ids, or run the agent as root`,
        { cause: err },
      );
    }
  }
}
