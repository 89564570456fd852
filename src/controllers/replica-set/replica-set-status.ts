// What the status of a ReplicaSet says of its pods.

import { apiTime } from "../../api/api-time.ts";
import type { Pod, ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from "../../api/types.ts";
import { isAvailable, isReady } from "../pods/pod-condition.ts";

export interface StatusFacts {
  /** Those that are the set's and not about to go. */
  readonly active: readonly Pod[];
  /** Those that are the set's, still run and are marked for deletion. */
  readonly terminating: readonly Pod[];
  /** Why pods could not be made or deleted, if they could not. */
  readonly failure: string | undefined;
  readonly nowMs: number;
}

export function replicaSetStatus(
  { metadata, spec, status }: ReplicaSet,
  { active, terminating, failure, nowMs }: StatusFacts,
): ReplicaSetStatus {
  const templateLabels = Object.entries(spec.template.metadata.labels ?? {});
  const hasAllLabels = ({ metadata: { labels } }: Pod): boolean =>
    templateLabels.every(([key, value]) => labels?.[key] === value);
  const minReadySeconds = spec.minReadySeconds ?? 0;
  const missing = wantedReplicas({ spec }) - active.length;
  const { conditions: _, ...rest } = status;
  const conditions = conditionsWith(status.conditions ?? [], { failure, missing, nowMs });
  return {
    ...rest,
    replicas: active.length,
    fullyLabeledReplicas: active.filter(hasAllLabels).length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: active.filter((pod) => isAvailable(pod, minReadySeconds, nowMs)).length,
    terminatingReplicas: terminating.length,
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    ...(conditions.length > 0 && { conditions }),
  };
}

export function wantedReplicas({ spec }: Pick<ReplicaSet, "spec">): number {
  return spec.replicas ?? 1;
}

/** A failure that is told of already keeps the text and the time that it began with. */
function conditionsWith(
  conditions: readonly ReplicaSetCondition[],
  at: {
    readonly failure: string | undefined;
    readonly missing: number;
    readonly nowMs: number;
  },
): ReplicaSetCondition[] {
  const { failure, missing, nowMs } = at;
  const others = conditions.filter(({ type }) => type !== "ReplicaFailure");
  if (failure === undefined) return others;
  if (others.length < conditions.length) return [...conditions];
  const reason = missing > 0 ? "FailedCreate" : missing < 0 ? "FailedDelete" : "";
  const lastTransitionTime = apiTime(nowMs);
  return [
    ...others,
    {
      type: "ReplicaFailure",
      status: "True",
      lastTransitionTime,
      ...(reason !== "" && { reason }),
      message: failure,
    },
  ];
}
