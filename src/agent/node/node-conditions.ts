// How a node says that it is well, in the kubelet's words: programs and people look for them.

import type { NodeCondition } from "../../api/types.ts";
import type { Pressures } from "./pressure.ts";

export interface Findings {
  readonly pressures: Pressures;
  /** What is missing for pods to run: "container runtime: …". */
  readonly missing: readonly string[];
}

interface Wording {
  readonly reason: string;
  readonly message: string;
}

interface PressureWords {
  readonly type: string;
  readonly of: keyof Pressures;
  readonly good: Wording;
  readonly bad: Wording;
}

const pressureWords: readonly PressureWords[] = [
  {
    type: "MemoryPressure",
    of: "memory",
    good: {
      reason: "KubeletHasSufficientMemory",
      message: "kubelet has sufficient memory available",
    },
    bad: {
      reason: "KubeletHasInsufficientMemory",
      message: "kubelet has insufficient memory available",
    },
  },
  {
    type: "DiskPressure",
    of: "disk",
    good: { reason: "KubeletHasNoDiskPressure", message: "kubelet has no disk pressure" },
    bad: { reason: "KubeletHasDiskPressure", message: "kubelet has disk pressure" },
  },
  {
    type: "PIDPressure",
    of: "pid",
    good: { reason: "KubeletHasSufficientPID", message: "kubelet has sufficient PID available" },
    bad: { reason: "KubeletHasInsufficientPID", message: "kubelet has insufficient PID available" },
  },
];

/** Ours and no others, Ready last. `now` as the API writes times. */
export function conditionsOf(
  { pressures, missing }: Findings,
  before: readonly NodeCondition[],
  now: string,
): readonly NodeCondition[] {
  const found = pressureWords.map(({ type, of, good, bad }) =>
    pressures[of] ? { type, status: "True", ...bad } : { type, status: "False", ...good },
  );
  return [...found, readiness(missing)].map((condition) => {
    const old = before.find(({ type }) => type === condition.type);
    const isSame = old?.status === condition.status;
    const lastTransitionTime = (isSame ? old.lastTransitionTime : undefined) ?? now;
    return { ...condition, lastHeartbeatTime: now, lastTransitionTime };
  });
}

function readiness(missing: readonly string[]): Wording & Pick<NodeCondition, "type" | "status"> {
  const type = "Ready";
  if (missing.length === 0) {
    const message = "kubelet is posting ready status";
    return { type, status: "True", reason: "KubeletReady", message };
  }
  const [only] = missing;
  const message = missing.length === 1 ? (only ?? "") : `[${missing.join(", ")}]`;
  return { type, status: "False", reason: "KubeletNotReady", message };
}
