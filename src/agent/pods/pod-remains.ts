// A pod of which nobody knows any more, as far as its containers tell: it was deleted while the agent was away. Each has noted what is
// needed to stop it as it wanted to be stopped.

import type { Container, Pod } from "../../api/types.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import type { AnyContainer } from "../all-containers.ts";
import { notes } from "./pod-containers.ts";

export interface PodName {
  readonly podNamespace: string;
  readonly podName: string;
}

/** To be noted on a container when it starts. */
export function stopNotes(
  { spec }: Pod,
  { lifecycle, ports }: AnyContainer,
): Record<string, string> {
  const preStop = lifecycle?.preStop;
  return {
    [notes.graceSeconds]: String(spec.terminationGracePeriodSeconds ?? 30),
    ...(preStop !== undefined && { [notes.preStop]: JSON.stringify({ preStop, ports }) }),
  };
}

/** As much of a pod as its containers tell, or its logs. */
export function podRemains(
  uid: string,
  containers: readonly ContainerStatus[],
  logged: PodName | undefined,
): Pod {
  const any: PodName | undefined = containers[0] ?? logged;
  const graces = containers.map(({ annotations }) => Number(annotations[notes.graceSeconds]));
  const grace = Math.max(0, ...graces.filter(Number.isFinite));
  // Of each name the newest, which is the last.
  const newest = new Map(containers.map((one) => [one.name, one]));
  return {
    metadata: { uid, name: any?.podName ?? uid, namespace: any?.podNamespace ?? "" },
    spec: {
      containers: Array.from(newest.values(), containerRemains),
      terminationGracePeriodSeconds: grace,
    },
    status: {},
  };
}

function containerRemains({ name, annotations }: ContainerStatus): Container {
  const { preStop, ports } = notedHook(annotations[notes.preStop] ?? "{}");
  return {
    ...{ name, resources: {} },
    ...(preStop !== undefined && { lifecycle: { preStop } }),
    ...(ports !== undefined && { ports }),
  };
}

/** One that cannot be read is none: it must not keep the others from being stopped. */
function notedHook(text: string): Pick<Container, "ports"> & NonNullable<Container["lifecycle"]> {
  try {
    return JSON.parse(text) as ReturnType<typeof notedHook>;
  } catch {
    return {};
  }
}
