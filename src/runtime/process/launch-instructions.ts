// What the runtime tells the launcher, over a pipe: the environment may hold secrets, so it is in no file and no command line.

import type { CgroupPlace } from "../cgroups/cgroup-place.ts";
import type { ContainerMount, ContainerSecurity, ContainerUser } from "../runtime.ts";
import type { SandboxPaths } from "./sandboxes.ts";

export interface LaunchInstructions {
  /** Where the container's writable layers go. */
  readonly directory: string;
  readonly sandbox: SandboxPaths;
  /** The upmost first. */
  readonly layers: readonly string[];
  /** The machine's own root: its other disks are shown too, and `hidden` is not. */
  readonly isHostRoot: boolean;
  readonly isRootReadOnly: boolean;
  readonly security: ContainerSecurity;
  readonly cgroup: CgroupPlace;
  readonly oomScoreAdjust: number;
  /** Directories of the machine that no container may see, as far as they are in its root. */
  readonly hidden: readonly string[];
  readonly mounts: readonly ContainerMount[];
  readonly argv: readonly string[];
  /** "NAME=value" */
  readonly env: readonly string[];
  readonly workingDir: string;
  readonly user: ContainerUser;
  /** The other end of its stdin; undefined: /dev/null. Of no use with a terminal. */
  readonly stdinFifo: string | undefined;
  /** The launcher says on its pipe when it has one to hand over (at terminalFd), and waits for an answer. */
  readonly hasTty: boolean;
}

/** Descriptors that the shim gives to the launcher. None of 0 to 2: Node changes how those behave. */
export const instructionsFd = 3;
export const stdoutFd = 5;
export const stderrFd = 6;
/** In the launcher, beyond all that Node opens for itself. */
export const terminalFd = 100;
