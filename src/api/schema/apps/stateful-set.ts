// StatefulSet: pods with lasting names and storage.

import { persistentVolumeClaim } from "../core/persistent-volume-claim.ts";
import { podTemplateSpec } from "../core/pod.ts";
import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  byKey,
  field,
  int32,
  int64,
  intOrString,
  listOf,
  oneOf,
  pointer,
  ref,
  required,
  string,
  type TypeSchema,
  time,
  type,
} from "../schema.ts";
import { labelSelector } from "../selector.ts";

const rollingUpdateStatefulSetStrategy: TypeSchema = type(
  "io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy",
  "Details of a rolling update",
  {
    partition: field(1, int32, "Pods with lower numbers stay as they are", pointer),
    maxUnavailable: field(2, intOrString, "How many may be missing on the way", pointer),
  },
);

const statefulSetUpdateStrategy: TypeSchema = type(
  "io.k8s.api.apps.v1.StatefulSetUpdateStrategy",
  "How old pods give way to new ones",
  {
    type: field(
      1,
      oneOf("OnDelete", "Recreate", "RollingUpdate"),
      "By itself, or when someone deletes them",
    ),
    rollingUpdate: field(2, ref(rollingUpdateStatefulSetStrategy), "Details of the steps", pointer),
  },
);

const statefulSetPersistentVolumeClaimRetentionPolicy: TypeSchema = type(
  "io.k8s.api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy",
  "What becomes of claims without a pod",
  {
    whenDeleted: field(1, string, "When the set goes"),
    whenScaled: field(2, string, "When the set shrinks"),
  },
);

const statefulSetOrdinals: TypeSchema = type(
  "io.k8s.api.apps.v1.StatefulSetOrdinals",
  "How pods are numbered",
  {
    start: field(1, int32, "Number of the first", always),
  },
);

const statefulSetSpec: TypeSchema = type(
  "io.k8s.api.apps.v1.StatefulSetSpec",
  "How many pods, which, and what each keeps",
  {
    replicas: field(1, int32, "How many", pointer),
    selector: field(2, ref(labelSelector), "Labels of its pods", { ...required, pointer: true }),
    template: field(3, ref(podTemplateSpec), "What new pods are made from", required),
    volumeClaimTemplates: field(
      4,
      listOf(ref(persistentVolumeClaim)),
      "Claims that each pod keeps",
    ),
    serviceName: field(5, string, "Service that gives the pods their names", always),
    podManagementPolicy: field(
      6,
      oneOf("OrderedReady", "Parallel"),
      "One after another, or all at once",
    ),
    updateStrategy: field(
      7,
      ref(statefulSetUpdateStrategy),
      "How old pods give way to new ones",
      always,
    ),
    revisionHistoryLimit: field(8, int32, "How many old versions are kept to go back to", pointer),
    minReadySeconds: field(9, int32, "How long a new pod must be ready to count as available"),
    persistentVolumeClaimRetentionPolicy: field(
      10,
      ref(statefulSetPersistentVolumeClaimRetentionPolicy),
      "What becomes of claims without a pod",
      pointer,
    ),
    ordinals: field(11, ref(statefulSetOrdinals), "How the pods are numbered", pointer),
  },
);

const statefulSetCondition: TypeSchema = type(
  "io.k8s.api.apps.v1.StatefulSetCondition",
  "One finding about a stateful set",
  {
    type: field(1, string, "What is judged", always),
    status: field(2, string, "True, False or Unknown", always),
    lastTransitionTime: field(3, time, "When the status last flipped", always),
    reason: field(4, string, "One CamelCase word for programs"),
    message: field(5, string, "A sentence for people"),
  },
);

const statefulSetStatus: TypeSchema = type(
  "io.k8s.api.apps.v1.StatefulSetStatus",
  "How far a stateful set is",
  {
    observedGeneration: field(1, int64, "Generation of the object that this is about"),
    replicas: field(2, int32, "Pods in all", required),
    readyReplicas: field(3, int32, "Pods that are ready"),
    currentReplicas: field(4, int32, "Pods of the version that is left behind"),
    updatedReplicas: field(5, int32, "Pods of the newest version"),
    currentRevision: field(6, string, "The version that is left behind"),
    updateRevision: field(7, string, "The newest version"),
    collisionCount: field(9, int32, "How often the name of a new revision was taken", pointer),
    conditions: field(
      10,
      listOf(ref(statefulSetCondition), byKey("type")),
      "Latest findings, one per type",
    ),
    availableReplicas: field(11, int32, "Pods that have been ready for long enough", always),
  },
);

export const statefulSet: TypeSchema = type(
  "io.k8s.api.apps.v1.StatefulSet",
  "Runs pods with lasting names and storage",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(statefulSetSpec), "What should be", required),
    status: field(3, ref(statefulSetStatus), "What is", always),
  },
);
