// By which a container that was never restarted is known: the same id, the same process since the same moment, no restart counted.

import { existsSync, readFileSync } from "node:fs";
import type { Pod } from "../../src/api/types.ts";
import type { DriftlessNode } from "../support/driftless-node.ts";

export interface LifeSigns {
  readonly pod: string;
  readonly uid: string | undefined;
  readonly container: string;
  readonly id: string;
  readonly restartCount: number;
  readonly pid: number;
  /** In clock ticks since the machine started. */
  readonly startedAt: string;
}

/** Throws if one of them was never started. */
export function lifeSigns(node: DriftlessNode, pod: Pod): readonly LifeSigns[] {
  return (pod.status.containerStatuses ?? []).map(({ name, containerID = "", restartCount }) => {
    const pid = node.containerPid(pod, name);
    return {
      pod: pod.metadata.name ?? "",
      uid: pod.metadata.uid,
      container: name,
      id: containerID,
      restartCount,
      pid,
      startedAt: startTime(pid),
    };
  });
}

/** The 22nd field; the second one, the program's name, may hold anything. */
function startTime(pid: number): string {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return "it does not run";
  const text = readFileSync(file, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}
