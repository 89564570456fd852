// Pods for tests, made of what the test is about.

import type { Pod } from "../../../api/types.ts";
import type { PodObject } from "../pod-object.ts";

export interface MadePod {
  readonly name?: string;
  readonly uid?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Bound to it. */
  readonly node?: string;
  /** Meant for it, and not bound. */
  readonly target?: string;
  readonly phase?: string;
  /** Ready since then, as a timestamp; "" for ready since nobody knows when. */
  readonly ready?: string;
  readonly created?: string;
  readonly deleted?: string;
  readonly restarts?: number;
  readonly sidecarRestarts?: number;
}

export function madePod(of: MadePod = {}): PodObject {
  const { name = "pod", labels, annotations, node, target, phase = "Running" } = of;
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: of.uid ?? `uid-${name}`,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(of.created && { creationTimestamp: of.created }),
      ...(of.deleted && { deletionTimestamp: of.deleted }),
    },
    spec: {
      containers: [{ name: "c", image: "i" }],
      ...(of.sidecarRestarts !== undefined && {
        initContainers: [{ name: "side", image: "i", restartPolicy: "Always" }],
      }),
      ...(node && { nodeName: node }),
      ...(target && { affinity: affinityFor(target) }),
    },
    status: { phase, ...statusOf(of) },
  };
  return pod as unknown as PodObject;
}

function statusOf({ ready, restarts, sidecarRestarts }: MadePod): Partial<Pod["status"]> {
  const lastTransitionTime = ready === "" ? null : ready;
  return {
    ...(ready !== undefined && {
      conditions: [{ type: "Ready", status: "True", lastTransitionTime }],
    }),
    ...(restarts !== undefined && { containerStatuses: [restarted("c", restarts)] }),
    ...(sidecarRestarts !== undefined && {
      initContainerStatuses: [restarted("side", sidecarRestarts)],
    }),
  };
}

function restarted(
  name: string,
  restartCount: number,
): NonNullable<Pod["status"]["containerStatuses"]>[number] {
  return { name, restartCount, ready: true, image: "i", imageID: "", state: {}, lastState: {} };
}

function affinityFor(nodeName: string): object {
  const matchFields = [{ key: "metadata.name", operator: "In", values: [nodeName] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
}
