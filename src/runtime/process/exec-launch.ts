// From a process in the PID namespace of a container, with all else of the machine's, to one more program in that container. The
// order matters:
//
//  (1) Nobody in the container may look into this process, which sees the machine's files.
//  (2) Open what the runtime gave and the way into the cgroups, by paths of the machine.
//  (3) The container's root, for all threads of this process: what they see, the program can come by, until they end with execve. Then the container's
//      namespaces, for this thread alone, and with its mounts its root.
//  (4) Working directory, as root. Again as the user if root is not allowed in, on a network disk.
//  (5) A session of its own; its terminal; the streams are the user's, who may open /dev/stdout again.
//  (6) The container's cgroups, as late as the rights for it are there: what Node needed until now is not counted.
//  (7) A cgroup namespace of its own, as a mark: all that comes from the program has it too, whatever becomes of its parents. After (6):
//      the container's group is the topmost that it shows. Then say so.
//  (8) The container's rights, but for the last. They take the wish of (9) away.
//  (9) End with the one that waits for this process: it ends with the runtime.
// (10) Find the program, as the user.
// (11) Signals, limits, umask, descriptors; the last rights; execve.

import { constants, fchownSync, openSync, writeFileSync } from "node:fs";
import { isErrno } from "../../base/errors.ts";
import { dieWithParent, execve, setsid } from "../../mounts/process-calls.ts";
import { forbidTracing } from "../../mounts/rights-calls.ts";
import {
  CLONE_FS,
  CLONE_NEWCGROUP,
  chdir,
  chroot,
  openFile,
  setns,
  unshare,
} from "../../mounts/system-calls.ts";
import { takeTerminal } from "../../mounts/terminal-calls.ts";
import { openCgroups } from "../cgroups/cgroup-place.ts";
import type { ContainerUser } from "../runtime.ts";
import { become } from "./become.ts";
import { enterDirectory } from "./enter-directory.ts";
import type { ExecInstructions, ExecStreams } from "./exec-instructions.ts";
import { findProgram } from "./find-program.ts";
import { LaunchError, reasonOf, step } from "./launch-error.ts";
import { type ProgramStreams, prepareProcess, searchPathOf } from "./start-program.ts";

/** There is no such program, or it cannot be run. */
export class ProgramError extends LaunchError {
  /** What a shell would say. */
  get exitCode(): number {
    return /executable file not found|no such file or directory$/.test(this.message) ? 127 : 126;
  }
}

/** Returns never. Throws a LaunchError if the program was not started. */
export function execLaunch(instructions: ExecInstructions, marked: () => void): never {
  const { argv, env, user, security, workingDir } = instructions;
  const parent = process.ppid;
  step("error restricting the process", forbidTracing); // (1)
  adjustOomScore(instructions.oomScoreAdjust);
  const streams = step("error opening streams", () => openStreams(instructions.streams)); // (2)
  const cgroups = step("error opening cgroups", () => openCgroups(instructions.cgroup));
  step("error joining the container's namespaces", () => join(instructions)); // (3)
  const isIn = enter(workingDir, { mayBeDenied: true }); // (4)
  step("error preparing the session", () => {
    setsid(); // (5)
    if ("terminal" in instructions.streams) {
      takeTerminal(streams.stdin);
    }
    giveTo(user, streams);
  });
  step("error joining cgroups", () => cgroups.enter()); // (6)
  step("error making a cgroup namespace", () => unshare(CLONE_NEWCGROUP)); // (7)
  marked();
  const giveUpTheRest = become({ user, security }); // (8)
  step("error preparing the session", dieWithParent); // (9)
  if (process.ppid !== parent) {
    throw new LaunchError("the runtime went away");
  }
  if (!isIn) {
    enter(workingDir, { mayBeDenied: false });
  }
  const path = asProgram(() => findProgram(argv[0] ?? "", searchPathOf(env))); // (10)
  step("error preparing the process", () => prepareProcess(streams)); // (11)
  giveUpTheRest();
  return asProgram(() => step(`exec ${path}`, () => execve({ path, argv, env })));
}

function join({ root, namespaces: { mnt, uts, ipc } }: ExecInstructions): void {
  // All of them before the first is joined: the paths are the machine's.
  const files = [mnt, uts, ipc].map((path) => openFile(openSync(path, constants.O_RDONLY)));
  chdir(root);
  chroot(".");
  unshare(CLONE_FS);
  for (const file of files) {
    setns(file, 0);
  }
}

/** As that of the container; whoever may not lower it stays where the agent is. */
function adjustOomScore(score: number): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", String(score));
  } catch (err) {
    if (!isErrno(err, "EACCES", "EPERM")) {
      throw err;
    }
  }
}

function openStreams(streams: ExecStreams): ProgramStreams {
  if ("terminal" in streams) {
    const terminal = openSync(streams.terminal, constants.O_RDWR | constants.O_NOCTTY);
    return { stdin: terminal, stdout: terminal, stderr: terminal };
  }
  return {
    stdin: openSync(streams.stdin, constants.O_RDONLY),
    stdout: openSync(streams.stdout, constants.O_WRONLY),
    stderr: openSync(streams.stderr, constants.O_WRONLY),
  };
}

/** Returns false if it may not be entered. */
function enter(workingDir: string, { mayBeDenied }: { readonly mayBeDenied: boolean }): boolean {
  try {
    enterDirectory(workingDir);
    return true;
  } catch (err) {
    if (mayBeDenied && isErrno(err, "EACCES")) {
      return false;
    }
    const why = `chdir to cwd ("${workingDir}") set in config.json failed: ${reasonOf(err)}`;
    throw new LaunchError(why, { cause: err });
  }
}

function giveTo({ uid }: ContainerUser, streams: ProgramStreams): void {
  for (const fd of new Set([streams.stdin, streams.stdout, streams.stderr])) {
    try {
      fchownSync(fd, uid, -1);
    } catch {
      // The machine's /dev/null, which is nobody's to change. What is open stays open.
    }
  }
}

function asProgram<T>(work: () => T): T {
  try {
    return work();
  } catch (err) {
    throw err instanceof LaunchError ? new ProgramError(err.message, { cause: err }) : err;
  }
}
