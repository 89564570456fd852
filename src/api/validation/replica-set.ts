// What a ReplicaSet may look like, and what an update may not change.

import type { ReplicaSet, ReplicaSetSpec, ReplicaSetStatus } from "../types.ts";
import { type Share, validateNonNegative, validateShares } from "./counts.ts";
import type { FieldError } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { nameIsDnsSubdomain } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { validateRequiredSelector, validateSelectedTemplate } from "./selected-template.ts";
import { immutableField } from "./semantic-equal.ts";

const specPath = FieldPath.of("spec");
const statusPath = FieldPath.of("status");

const shares: readonly Share<ReplicaSetStatus>[] = [
  { field: "fullyLabeledReplicas", of: "replicas", told: "status.replicas" },
  { field: "readyReplicas", of: "replicas", told: "status.replicas" },
  { field: "availableReplicas", of: "replicas", told: "status.replicas" },
  { field: "availableReplicas", of: "readyReplicas", told: "readyReplicas" },
];

export function validateReplicaSet(replicaSet: ReplicaSet): FieldError[] {
  return [
    ...validateObjectMeta(replicaSet.metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...validateSpec(replicaSet.spec),
  ];
}

export function validateReplicaSetUpdate(replicaSet: ReplicaSet, old: ReplicaSet): FieldError[] {
  return [
    ...validateObjectMetaUpdate(replicaSet.metadata, old.metadata),
    ...validateSpec(replicaSet.spec, old.spec),
    ...immutableField(replicaSet.spec.selector, old.spec.selector, specPath.child("selector")),
  ];
}

export function validateReplicaSetStatusUpdate(
  replicaSet: ReplicaSet,
  old: ReplicaSet,
): FieldError[] {
  return [
    ...validateObjectMetaUpdate(replicaSet.metadata, old.metadata),
    ...validateReplicaCounts(replicaSet.status),
  ];
}

/** Also for ReplicationControllers, which count the same. */
export function validateReplicaCounts(status: ReplicaSetStatus): FieldError[] {
  return [
    ...validateNonNegative(
      status,
      [
        "replicas",
        "fullyLabeledReplicas",
        "readyReplicas",
        "availableReplicas",
        "observedGeneration",
        "terminatingReplicas",
      ],
      statusPath,
    ),
    ...validateShares(status, shares, statusPath),
  ];
}

function validateSpec(spec: ReplicaSetSpec, before?: ReplicaSetSpec): FieldError[] {
  const { selector, template } = spec;
  const old = before?.template;
  return [
    ...validateNonNegative(spec, ["replicas", "minReadySeconds"], specPath),
    // The kind in the text is the API's slip, and kept.
    ...validateRequiredSelector(selector, "deployment", specPath.child("selector")),
    ...validateSelectedTemplate({ selector, template, path: specPath, old }, "ReplicaSet"),
  ];
}
