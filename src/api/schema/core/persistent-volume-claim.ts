// PersistentVolumeClaim: a wish for storage.

import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  byKey,
  field,
  listOf,
  mapOf,
  oneOf,
  pointer,
  quantity,
  ref,
  required,
  string,
  type TypeSchema,
  time,
  type,
} from "../schema.ts";
import { labelSelector } from "../selector.ts";
import { typedLocalObjectReference, typedObjectReference } from "./references.ts";
import { accessMode, volumeMode } from "./values.ts";
import { volumeHealthCondition } from "./volume-health.ts";

const volumeResourceRequirements: TypeSchema = type(
  "io.k8s.api.core.v1.VolumeResourceRequirements",
  "How much storage is asked for and allowed",
  {
    limits: field(1, mapOf(quantity), "At most this much"),
    requests: field(2, mapOf(quantity), "At least this much"),
  },
);

const persistentVolumeClaimSpec: TypeSchema = type(
  "io.k8s.api.core.v1.PersistentVolumeClaimSpec",
  "Which storage is wanted",
  {
    accessModes: field(1, listOf(accessMode), "How it must be mountable"),
    selector: field(4, ref(labelSelector), "Labels of volumes that will do", pointer),
    resources: field(2, ref(volumeResourceRequirements), "How large", always),
    volumeName: field(3, string, "The volume that fulfils the claim"),
    storageClassName: field(5, string, "Class to provision from; empty means none", pointer),
    volumeMode: field(6, volumeMode, "A file system or a raw block device", pointer),
    dataSource: field(7, ref(typedLocalObjectReference), "Start with the content of this", pointer),
    dataSourceRef: field(
      8,
      ref(typedObjectReference),
      "Start with the content of this, of any kind",
      pointer,
    ),
    volumeAttributesClassName: field(9, string, "Class of changeable attributes", pointer),
  },
);

const persistentVolumeClaimCondition: TypeSchema = type(
  "io.k8s.api.core.v1.PersistentVolumeClaimCondition",
  "One finding about a claim",
  {
    type: field(1, string, "What is judged", required),
    status: field(2, string, "True, False or Unknown", required),
    lastProbeTime: field(3, time, "When this was last looked at", always),
    lastTransitionTime: field(4, time, "When the status last flipped", always),
    reason: field(5, string, "One CamelCase word for programs"),
    message: field(6, string, "A sentence for people"),
  },
);

const modifyVolumeStatus: TypeSchema = type(
  "io.k8s.api.core.v1.ModifyVolumeStatus",
  "How far a change of attributes is",
  {
    targetVolumeAttributesClassName: field(1, string, "Class that it leads to"),
    status: field(
      2,
      oneOf("InProgress", "Infeasible", "Pending"),
      "Pending, InProgress or Infeasible",
      required,
    ),
  },
);

const volumeHealthStatus: TypeSchema = type(
  "io.k8s.api.core.v1.VolumeHealthStatus",
  "Health of a volume",
  {
    healthConditions: field(
      1,
      listOf(ref(volumeHealthCondition), { keys: ["status", "reason"], mergeKey: "status" }),
      "What is wrong; empty if all is well",
    ),
    lastTransitionTime: field(2, time, "When this last changed", always),
  },
);

const persistentVolumeClaimStatus: TypeSchema = type(
  "io.k8s.api.core.v1.PersistentVolumeClaimStatus",
  "What a claim was given",
  {
    phase: field(1, oneOf("Bound", "Lost", "Pending"), "Pending, Bound or Lost"),
    accessModes: field(2, listOf(accessMode), "How the volume is mountable"),
    capacity: field(3, mapOf(quantity), "How large it is"),
    conditions: field(
      4,
      listOf(ref(persistentVolumeClaimCondition), byKey("type")),
      "Latest findings, one per type",
    ),
    allocatedResources: field(5, mapOf(quantity), "Size that was asked of the storage"),
    allocatedResourceStatuses: field(
      7,
      mapOf(
        oneOf(
          "ControllerResizeInProgress",
          "ControllerResizeInfeasible",
          "NodeResizeInProgress",
          "NodeResizeInfeasible",
          "NodeResizePending",
        ),
      ),
      "How far a change of size is",
    ),
    currentVolumeAttributesClassName: field(8, string, "Class of attributes in force", pointer),
    modifyVolumeStatus: field(
      9,
      ref(modifyVolumeStatus),
      "How far a change of attributes is",
      pointer,
    ),
    healthStatus: field(
      10,
      ref(volumeHealthStatus),
      "What the storage says of the volume's health",
      pointer,
    ),
  },
);

export const persistentVolumeClaim: TypeSchema = type(
  "io.k8s.api.core.v1.PersistentVolumeClaim",
  "A wish for storage, and the volume that fulfils it",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(persistentVolumeClaimSpec), "What is wanted", always),
    status: field(3, ref(persistentVolumeClaimStatus), "What was given", always),
  },
);

export const persistentVolumeClaimTemplate: TypeSchema = type(
  "io.k8s.api.core.v1.PersistentVolumeClaimTemplate",
  "What claims are made from",
  {
    metadata,
    spec: field(2, ref(persistentVolumeClaimSpec), "Of the claims", required),
  },
);
