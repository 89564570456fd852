// The file in which a container may say why it ended: one for each start, where the kubelet has it, mounted into the container.

import { chmodSync, closeSync, mkdirSync, openSync, rmSync } from "node:fs";
import { dirname, posix } from "node:path";
import type { ContainerMount, ContainerStatus } from "../../runtime/runtime.ts";
import type { AgentPaths } from "../agent-paths.ts";
import type { AnyContainer } from "../all-containers.ts";
import { notes } from "./pod-containers.ts";

export interface TerminationFile {
  readonly mounts: readonly ContainerMount[];
  /** To be noted on the container. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** For all users that the container may have. */
const MODE = 0o666;

/** Made anew, empty. A container that has something else mounted there has none. */
export function makeTerminationFile(of: {
  readonly paths: AgentPaths;
  readonly podUid: string;
  readonly container: AnyContainer;
  readonly attempt: number;
  readonly mounts: readonly ContainerMount[];
}): TerminationFile {
  const { paths, podUid, container, attempt } = of;
  const { terminationMessagePath = "", terminationMessagePolicy = "" } = container;
  const policy = { [notes.terminationPolicy]: terminationMessagePolicy };
  const containerPath = posix.join("/", terminationMessagePath);
  const isTaken = of.mounts.some((mount) => mount.containerPath === containerPath);
  if (terminationMessagePath === "" || isTaken) return { mounts: [], annotations: policy };
  const hostPath = paths.terminationMessage({ podUid, container: container.name, attempt });
  mkdirSync(dirname(hostPath), { recursive: true, mode: 0o750 });
  // A start that failed may have left one, with something in it.
  rmSync(hostPath, { force: true });
  closeSync(openSync(hostPath, "wx", MODE));
  chmodSync(hostPath, MODE); // The umask may have taken bits away.
  return {
    mounts: [{ hostPath, containerPath, isReadOnly: false, propagation: "None" }],
    annotations: { ...policy, [notes.terminationFile]: hostPath },
  };
}

/** Of a container that was removed. */
export function removeTerminationFile({ annotations }: ContainerStatus): void {
  const path = annotations[notes.terminationFile] ?? "";
  if (path !== "") rmSync(path, { force: true });
}
