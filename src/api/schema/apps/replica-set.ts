// ReplicaSet: a number of equal pods.

import { podTemplateSpec } from "../core/pod.ts";
import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  byKey,
  field,
  int32,
  int64,
  listOf,
  pointer,
  ref,
  required,
  string,
  type TypeSchema,
  time,
  type,
} from "../schema.ts";
import { labelSelector } from "../selector.ts";

const replicaSetSpec: TypeSchema = type(
  "io.k8s.api.apps.v1.ReplicaSetSpec",
  "How many pods, and which",
  {
    replicas: field(1, int32, "How many", pointer),
    minReadySeconds: field(4, int32, "How long a new pod must be ready to count as available"),
    selector: field(2, ref(labelSelector), "Labels of its pods", { ...required, pointer: true }),
    template: field(3, ref(podTemplateSpec), "What new pods are made from", always),
  },
);

const replicaSetCondition: TypeSchema = type(
  "io.k8s.api.apps.v1.ReplicaSetCondition",
  "One finding about a replica set",
  {
    type: field(1, string, "What is judged", always),
    status: field(2, string, "True, False or Unknown", always),
    lastTransitionTime: field(3, time, "When the status last flipped", always),
    reason: field(4, string, "One CamelCase word for programs"),
    message: field(5, string, "A sentence for people"),
  },
);

const replicaSetStatus: TypeSchema = type(
  "io.k8s.api.apps.v1.ReplicaSetStatus",
  "How many pods there are",
  {
    replicas: field(1, int32, "In all", required),
    fullyLabeledReplicas: field(2, int32, "With all labels of the template"),
    readyReplicas: field(4, int32, "Ready"),
    availableReplicas: field(5, int32, "Ready for long enough"),
    terminatingReplicas: field(7, int32, "Stopping", pointer),
    observedGeneration: field(3, int64, "Generation of the object that this is about"),
    conditions: field(
      6,
      listOf(ref(replicaSetCondition), byKey("type")),
      "Latest findings, one per type",
    ),
  },
);

export const replicaSet: TypeSchema = type(
  "io.k8s.api.apps.v1.ReplicaSet",
  "Keeps a number of equal pods running",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(replicaSetSpec), "What should be", required),
    status: field(3, ref(replicaSetStatus), "What is", always),
  },
);
