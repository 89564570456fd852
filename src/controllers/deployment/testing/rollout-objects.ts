// Deployments and ReplicaSets as table tests need them: only what a rollout looks at.

import type { DeploymentCondition, DeploymentSpec, DeploymentStatus } from "../../../api/types.ts";
import type { DeploymentObject, ReplicaSetObject } from "../deployment-objects.ts";
import type { Annotations } from "../revisions.ts";

export interface DeploymentFacts {
  readonly replicas: number;
  readonly maxSurge?: number | string;
  readonly maxUnavailable?: number | string;
  readonly type?: "RollingUpdate" | "Recreate";
  readonly generation?: number;
  readonly annotations?: Annotations;
  readonly spec?: Partial<DeploymentSpec>;
  readonly status?: DeploymentStatus;
}

export interface ReplicaSetFacts {
  readonly replicas: number;
  /** Pods that are there; all by default. */
  readonly pods?: number;
  readonly available?: number;
  readonly image?: string;
  /** The order in which they were made. */
  readonly age?: number;
  readonly annotations?: Annotations;
}

export function deploymentOf(facts: DeploymentFacts): DeploymentObject {
  const { replicas, maxSurge = 0, maxUnavailable = 0, type = "RollingUpdate" } = facts;
  return {
    metadata: {
      name: "web",
      namespace: "default",
      uid: "uid-web",
      generation: facts.generation ?? 1,
      ...(facts.annotations && { annotations: { ...facts.annotations } }),
    },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: templateOf("new"),
      strategy:
        type === "Recreate" ? { type } : { type, rollingUpdate: { maxSurge, maxUnavailable } },
      ...facts.spec,
    },
    status: facts.status ?? {},
  };
}

export function replicaSetOf(name: string, facts: ReplicaSetFacts): ReplicaSetObject {
  const { replicas, pods = replicas, available = pods, image = "old", age = 0 } = facts;
  const creationTimestamp = `2024-01-01T00:00:${String(age).padStart(2, "0")}Z`;
  const { annotations } = facts;
  return {
    metadata: {
      ...{ name, namespace: "default", uid: `uid-${name}`, creationTimestamp, generation: 1 },
      ...(annotations && { annotations: { ...annotations } }),
    },
    spec: { replicas, template: templateOf(image) },
    status: {
      replicas: pods,
      readyReplicas: available,
      availableReplicas: available,
      observedGeneration: 1,
    },
  };
}

export function templateOf(image: string): DeploymentSpec["template"] {
  return {
    metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: "main", image, resources: {} }] },
  };
}

export function progressing(
  reason: string,
  at: { readonly status?: string; readonly time: string },
): DeploymentCondition {
  const { status = "True", time } = at;
  const times = { lastUpdateTime: time, lastTransitionTime: time };
  return { type: "Progressing", status, reason, message: "", ...times };
}
