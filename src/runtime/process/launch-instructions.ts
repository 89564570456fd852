// What the runtime tells the launcher, over a pipe: the environment may hold secrets, so it is in no file and no command line.

import type { ContainerMount, ContainerUser } from "../runtime.ts";
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
  readonly isWithoutNewPrivileges: boolean;
  /** Directories of the machine that no container may see, as far as they are in its root. */
  readonly hidden: readonly string[];
  readonly mounts: readonly ContainerMount[];
  readonly argv: readonly string[];
  /** "NAME=value" */
  readonly env: readonly string[];
  readonly workingDir: string;
  readonly user: ContainerUser;
}

/** Descriptors that the shim gives to the launcher. None of 0 to 2: Node changes how those behave. */
export const instructionsFd = 3;
export const stdoutFd = 5;
export const stderrFd = 6;
