// 0, 1 and 2 of a container's program: pipes to the log keeper, or a terminal whose other end the log keeper gets before the program starts.

import { closeSync, constants, fchownSync, openSync, readSync, writeSync } from "node:fs";
import { dup2 } from "../../mounts/process-calls.ts";
import { makeInRoot, openBeneath } from "../../mounts/safe-path.ts";
import { cloneTree, moveMount, type OpenFile } from "../../mounts/system-calls.ts";
import { openPeer, openTerminal } from "../../mounts/terminal-calls.ts";
import { LaunchError } from "./launch-error.ts";
import {
  instructionsFd,
  type LaunchInstructions,
  stderrFd,
  stdoutFd,
  terminalFd,
} from "./launch-instructions.ts";
import type { ProgramStreams } from "./start-program.ts";

/** To be called while paths of the machine still lead somewhere, and before anything is mounted over the container's /dev. */
export function openLaunchStreams(
  root: OpenFile,
  instructions: LaunchInstructions,
): ProgramStreams {
  const { hasTty, stdinFifo } = instructions;
  if (hasTty) return terminalStreams(root, instructions);
  const stdin =
    stdinFifo === undefined
      ? openBeneath(root, "/dev/null", { links: "in-root", flags: constants.O_RDONLY }).fd
      : openReader(stdinFifo);
  return { stdin, stdout: stdoutFd, stderr: stderrFd };
}

/** Without waiting for a writer, and in a way that programs expect: reading waits. */
function openReader(path: string): number {
  const both = openSync(path, constants.O_RDWR);
  try {
    return openSync(path, constants.O_RDONLY);
  } finally {
    closeSync(both);
  }
}

function terminalStreams(root: OpenFile, { user }: LaunchInstructions): ProgramStreams {
  using master = openTerminal(root);
  const peer = openPeer(master);
  // Its group stays the one of terminals.
  fchownSync(peer.fd, user.uid, -1);
  // Where other runtimes have it too.
  using place = makeInRoot(root, "/dev/console", { sort: "file", mode: 0o755 });
  using tree = cloneTree(peer, { isRecursive: false });
  moveMount(tree, place, { path: "/dev/console" });
  handOver(master);
  return { stdin: peer.fd, stdout: peer.fd, stderr: peer.fd };
}

/** Waits until somebody else has it: this process is about to let go of it, and the kernel would hang up. */
function handOver(master: OpenFile): void {
  dup2(master.fd, terminalFd);
  writeSync(instructionsFd, "terminal\n");
  const isTaken = readSync(instructionsFd, new Uint8Array(1)) > 0;
  closeSync(terminalFd);
  if (!isTaken) throw new LaunchError("the runtime went away before it had taken the terminal");
}
