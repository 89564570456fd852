// What the runtime tells the launcher of a session, over a pipe, and what that one says. Files are given by the way to the runtime's
// own descriptors: nobody in between holds them, so that their ends are seen when the program lets go of them.

import type { ProcessIdentity } from "../../mounts/process-calls.ts";
import type { CgroupPlace } from "../cgroups/cgroup-place.ts";
import type { ContainerSecurity, ContainerUser } from "../runtime.ts";

/** Absolute paths below the /proc of the machine. */
export type ExecStreams =
  | { readonly terminal: string }
  | { readonly stdin: string; readonly stdout: string; readonly stderr: string };

export interface ExecInstructions {
  /** Where ExecReports go; closed when the program has started, without another word. */
  readonly report: string;
  readonly streams: ExecStreams;
  /** Of the container, as its first process sees it. */
  readonly root: string;
  /** Of the container. */
  readonly namespaces: { readonly mnt: string; readonly uts: string; readonly ipc: string };
  readonly cgroup: CgroupPlace;
  readonly oomScoreAdjust: number;
  readonly argv: readonly string[];
  /** "NAME=value" */
  readonly env: readonly string[];
  readonly workingDir: string;
  readonly user: ContainerUser;
  readonly security: ContainerSecurity;
}

/** One line of JSON each. */
export type ExecReport =
  /** It has all open that it was given, and its mark: a cgroup namespace. */
  | { readonly launcher: ProcessIdentity }
  | { readonly failure: string; readonly exitCode: number | undefined };
