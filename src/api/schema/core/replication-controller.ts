// ReplicationController: the forerunner of ReplicaSet.

import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  byKey,
  field,
  int32,
  int64,
  listOf,
  mapOf,
  pointer,
  ref,
  required,
  string,
  type TypeSchema,
  time,
  type,
} from "../schema.ts";
import { podTemplateSpec } from "./pod.ts";

const replicationControllerSpec: TypeSchema = type(
  "io.k8s.api.core.v1.ReplicationControllerSpec",
  "How many pods, and which",
  {
    replicas: field(1, int32, "How many", { ...pointer, default: 1 }),
    minReadySeconds: field(4, int32, "How long a new pod must be ready to count as available", {
      default: 0,
    }),
    selector: field(
      2,
      mapOf(string, { atomic: true }),
      "Labels of its pods; those of the template if absent",
    ),
    template: field(3, ref(podTemplateSpec), "What new pods are made from", pointer),
  },
);

const replicationControllerCondition: TypeSchema = type(
  "io.k8s.api.core.v1.ReplicationControllerCondition",
  "One finding about a replication controller",
  {
    type: field(1, string, "What is judged", required),
    status: field(2, string, "True, False or Unknown", required),
    lastTransitionTime: field(3, time, "When the status last flipped", always),
    reason: field(4, string, "One CamelCase word for programs"),
    message: field(5, string, "A sentence for people"),
  },
);

const replicationControllerStatus: TypeSchema = type(
  "io.k8s.api.core.v1.ReplicationControllerStatus",
  "How many pods there are",
  {
    replicas: field(1, int32, "In all", required),
    fullyLabeledReplicas: field(2, int32, "With all labels of the template"),
    readyReplicas: field(4, int32, "Ready"),
    availableReplicas: field(5, int32, "Ready for long enough"),
    observedGeneration: field(3, int64, "Generation of the object that this is about"),
    conditions: field(
      6,
      listOf(ref(replicationControllerCondition), byKey("type")),
      "Latest findings, one per type",
    ),
  },
);

export const replicationController: TypeSchema = type(
  "io.k8s.api.core.v1.ReplicationController",
  "Keeps a number of equal pods running; forerunner of ReplicaSet",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(replicationControllerSpec), "What should be", always),
    status: field(3, ref(replicationControllerStatus), "What is", always),
  },
);
