// Pods. A new one is pending, and hardly anything but its status changes later. Deleting one that has a node takes the
// time that it asked for: the node has to stop it first.

import { resetFields } from "../../api/apply/ignored-fields.ts";
import { setPodDefaults } from "../../api/defaults/pod.ts";
import { setPodLevelResources } from "../../api/defaults/pod-level-resources.ts";
import { qosClassOf } from "../../api/defaults/pod-qos.ts";
import { applyTableDefaults } from "../../api/defaults/table-defaults.ts";
import { restoreTableOrder } from "../../api/defaults/table-order.ts";
import type { Pod, PodStatus } from "../../api/types.ts";
import { FieldPath } from "../../api/validation/field-path.ts";
import { ipWarnings } from "../../api/validation/ip-warnings.ts";
import { dns1123Label } from "../../api/validation/names.ts";
import { validatePod } from "../../api/validation/pod.ts";
import { validatePodStatusUpdate } from "../../api/validation/pod-status.ts";
import {
  validateEphemeralContainersUpdate,
  validatePodUpdate,
} from "../../api/validation/pod-update.ts";
import { podWarnings } from "../../api/validation/pod-warnings.ts";
import {
  admitPod,
  appArmorWarnings,
  dropDisabledFields,
  setAppArmorFields,
  setLabelKeySelectors,
} from "./pod-preparation.ts";
import { servedKind } from "./served-kind.ts";
import { type GracePeriod, type Strategy, strategyOf } from "./strategy.ts";

const kind = servedKind("v1", "Pod");

export const podStrategy: Strategy = strategyOf<Pod>({
  kind,
  countsGenerations: true,
  returnsDeleted: true,
  ignoredByStatus: resetFields("spec", "metadata.deletionTimestamp", "metadata.ownerReferences"),
  indexedField: "spec.nodeName",
  fieldLabels: {
    "spec.nodeName": ({ spec }) => spec.nodeName ?? "",
    "spec.host": ({ spec }) => spec.nodeName ?? "",
    "spec.restartPolicy": ({ spec }) => spec.restartPolicy ?? "",
    "spec.schedulerName": ({ spec }) => spec.schedulerName ?? "",
    "spec.serviceAccountName": ({ spec }) => spec.serviceAccountName ?? "",
    "spec.hostNetwork": ({ spec }) => String(spec.hostNetwork === true),
    "status.phase": ({ status }) => status.phase ?? "",
    "status.podIP": ({ status }) => status.podIPs?.[0]?.ip ?? "",
    "status.podIPs": () => "",
    "status.nominatedNodeName": ({ status }) => status.nominatedNodeName ?? "",
  },

  applyDefaults(pod): void {
    setPodDefaults(pod);
    applyTableDefaults(kind.schema, pod);
    restoreTableOrder(kind.schema, pod);
  },

  prepareForCreate(pod): void {
    admitPod(pod);
    dropDisabledFields(pod, undefined);
    setLabelKeySelectors(pod);
    setAppArmorFields(pod);
    setPodLevelResources(pod.spec);
    pod.status = newStatus(pod);
    restoreTableOrder(kind.schema, pod);
  },

  prepareForUpdate(pod, old): void {
    pod.status = old.status;
    if (pod.spec.resources === undefined && old.spec.resources !== undefined) {
      pod.spec.resources = structuredClone(old.spec.resources);
    }
    admitPod(pod);
    dropDisabledFields(pod, old);
    restoreTableOrder(kind.schema, pod);
  },

  prepareForStatusUpdate(pod, old): void {
    pod.spec = old.spec;
    const { deletionTimestamp: _, ...metadata } = pod.metadata;
    pod.metadata = { ...metadata, ownerReferences: old.metadata.ownerReferences };
    pod.status = keptStatus(pod.status, old.status);
    restoreTableOrder(kind.schema, pod);
  },

  validate: validatePod,
  validateUpdate: validatePodUpdate,
  validateStatusUpdate: validatePodStatusUpdate,

  subresourceUpdates: {
    ephemeralcontainers: {
      prepare(pod, old): void {
        const { ephemeralContainers } = pod.spec;
        pod.spec = { ...old.spec, ephemeralContainers };
        pod.status = old.status;
        pod.metadata = {
          ...old.metadata,
          resourceVersion: pod.metadata.resourceVersion,
          managedFields: pod.metadata.managedFields,
        };
        restoreTableOrder(kind.schema, pod);
      },
      validate: validateEphemeralContainersUpdate,
    },
  },

  warnings(pod, old): readonly string[] {
    return old === undefined ? warningsOfNew(pod) : addressWarnings(pod);
  },

  gracePeriod({ spec, status }, requested): GracePeriod {
    const isOver = status.phase === "Failed" || status.phase === "Succeeded";
    if ((spec.nodeName ?? "") === "" || isOver) return { seconds: 0 };
    const seconds = requested ?? spec.terminationGracePeriodSeconds ?? 0;
    return { seconds: seconds < 0 ? 1 : seconds };
  },
});

function newStatus({ spec }: Pod): PodStatus {
  const isGated = (spec.schedulingGates ?? []).length > 0;
  return {
    phase: "Pending",
    ...(isGated && {
      conditions: [
        {
          type: "PodScheduled",
          status: "False",
          lastProbeTime: null,
          lastTransitionTime: null,
          reason: "SchedulingGated",
          message: "Scheduling is blocked due to non-empty scheduling gates",
        },
      ],
    }),
    qosClass: qosClassOf(spec),
  };
}

/** Writers that do not know a field must not lose it. */
function keptStatus(status: PodStatus, old: PodStatus): PodStatus {
  const kept = { ...status };
  kept.qosClass ||= old.qosClass;
  kept.resourceClaimStatuses ??= old.resourceClaimStatuses;
  kept.extendedResourceClaimStatus ??= old.extendedResourceClaimStatus;
  kept.nodeAllocatableResourceClaimStatuses ??= old.nodeAllocatableResourceClaimStatuses;
  kept.observedGeneration ||= old.observedGeneration;
  const before = new Map((old.conditions ?? []).map((condition) => [condition.type, condition]));
  kept.conditions = status.conditions?.map((condition) => {
    const generation = before.get(condition.type)?.observedGeneration;
    if ((condition.observedGeneration ?? 0) !== 0 || generation === undefined) return condition;
    return { ...condition, observedGeneration: generation };
  });
  return kept;
}

function warningsOfNew(pod: Pod): string[] {
  const details = dns1123Label(pod.metadata.name ?? "");
  const named =
    details.length === 0
      ? []
      : [
          `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${details.join(" ")}]`,
        ];
  return [...appArmorWarnings(pod), ...named, ...podWarnings(pod)];
}

function addressWarnings({ status }: Pod): string[] {
  return (["podIPs", "hostIPs"] as const).flatMap((name) =>
    (status[name] ?? []).flatMap(({ ip }, i) =>
      ipWarnings(FieldPath.of("status", name).index(i).child("ip"), ip),
    ),
  );
}
