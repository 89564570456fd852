// Parts of workloads as the API's messages show them: in the form that they have inside the original server.

import type { JsonObject, JsonValue } from "../json.ts";
import type {
  PersistentVolumeClaim,
  PodFailurePolicy,
  PodTemplateSpec,
  SuccessPolicy,
} from "../types.ts";
import { internalForm } from "./internal-form.ts";

/** Metadata is not nested there. */
export function shownTemplate({ metadata, spec }: PodTemplateSpec): JsonObject {
  return { ...metadata, Spec: internalForm("PodSpec", spec) };
}

export function shownClaims(
  claims: readonly PersistentVolumeClaim[] | null | undefined,
): JsonValue {
  if (claims === undefined || claims === null || claims.length === 0) return null;
  return claims.map(({ metadata, spec, status }) => ({
    ...metadata,
    Spec: internalForm("PersistentVolumeClaimSpec", spec),
    Status: {
      Phase: status.phase ?? "",
      AccessModes: status.accessModes ?? null,
      Capacity: status.capacity ?? null,
      Conditions: null,
      AllocatedResources: status.allocatedResources ?? null,
      AllocatedResourceStatuses: status.allocatedResourceStatuses ?? null,
      CurrentVolumeAttributesClassName: status.currentVolumeAttributesClassName ?? null,
      ModifyVolumeStatus: null,
      HealthStatus: null,
    },
  }));
}

export function shownFailurePolicy(policy: PodFailurePolicy | undefined): JsonValue {
  if (policy === undefined) return null;
  const rules = (policy.rules ?? []).map(({ action, onExitCodes: codes, onPodConditions }) => ({
    Action: action,
    OnExitCodes:
      codes === undefined
        ? null
        : {
            ContainerName: codes.containerName ?? null,
            Operator: codes.operator,
            Values: codes.values ?? null,
          },
    OnPodConditions:
      onPodConditions?.map(({ type, status }) => ({ Type: type, Status: status })) ?? null,
  }));
  return { Rules: policy.rules ? rules : null };
}

export function shownSuccessPolicy(policy: SuccessPolicy | undefined): JsonValue {
  if (policy === undefined) return null;
  const rules = (policy.rules ?? []).map(({ succeededIndexes, succeededCount }) => ({
    SucceededIndexes: succeededIndexes ?? null,
    SucceededCount: succeededCount ?? null,
  }));
  return { Rules: policy.rules ? rules : null };
}
