// Deployment: equal pods, and how they get from one version to the next.

import { podTemplateSpec } from "../core/pod.ts";
import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  bool,
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

const rollingUpdateDeployment: TypeSchema = type(
  "io.k8s.api.apps.v1.RollingUpdateDeployment",
  "Sizes of the steps of a rolling update",
  {
    maxUnavailable: field(1, intOrString, "How many may be missing on the way", pointer),
    maxSurge: field(2, intOrString, "How many may be too many on the way", pointer),
  },
);

const deploymentStrategy: TypeSchema = type(
  "io.k8s.api.apps.v1.DeploymentStrategy",
  "How old pods give way to new ones",
  {
    type: field(1, oneOf("Recreate", "RollingUpdate"), "All at once, or step by step"),
    rollingUpdate: field(2, ref(rollingUpdateDeployment), "Sizes of the steps", pointer),
  },
);

const deploymentSpec: TypeSchema = type(
  "io.k8s.api.apps.v1.DeploymentSpec",
  "How many pods, which, and how they are replaced",
  {
    replicas: field(1, int32, "How many", pointer),
    selector: field(2, ref(labelSelector), "Labels of its pods", { ...required, pointer: true }),
    template: field(3, ref(podTemplateSpec), "What new pods are made from", required),
    strategy: field(4, ref(deploymentStrategy), "How old pods give way to new ones", {
      ...always,
      retainKeys: true,
    }),
    minReadySeconds: field(5, int32, "How long a new pod must be ready to count as available"),
    revisionHistoryLimit: field(
      6,
      int32,
      "How many old ReplicaSets are kept to go back to",
      pointer,
    ),
    paused: field(7, bool, "Change nothing for now"),
    progressDeadlineSeconds: field(
      9,
      int32,
      "After how long without progress it counts as failed",
      pointer,
    ),
  },
);

const deploymentCondition: TypeSchema = type(
  "io.k8s.api.apps.v1.DeploymentCondition",
  "One finding about a deployment",
  {
    type: field(1, string, "What is judged", always),
    status: field(2, string, "True, False or Unknown", always),
    lastUpdateTime: field(6, time, "When this was last confirmed", always),
    lastTransitionTime: field(7, time, "When the status last flipped", always),
    reason: field(4, string, "One CamelCase word for programs"),
    message: field(5, string, "A sentence for people"),
  },
);

const deploymentStatus: TypeSchema = type(
  "io.k8s.api.apps.v1.DeploymentStatus",
  "How far a deployment is",
  {
    observedGeneration: field(1, int64, "Generation of the object that this is about"),
    replicas: field(2, int32, "Pods in all"),
    updatedReplicas: field(3, int32, "Pods of the newest version"),
    readyReplicas: field(7, int32, "Pods that are ready"),
    availableReplicas: field(4, int32, "Pods that have been ready for long enough"),
    unavailableReplicas: field(5, int32, "Pods that are still missing"),
    terminatingReplicas: field(9, int32, "Pods that are stopping", pointer),
    conditions: field(
      6,
      listOf(ref(deploymentCondition), byKey("type")),
      "Latest findings, one per type",
    ),
    collisionCount: field(8, int32, "How often the name of a new ReplicaSet was taken", pointer),
  },
);

export const deployment: TypeSchema = type(
  "io.k8s.api.apps.v1.Deployment",
  "Keeps equal pods running and brings them from one version to the next",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(deploymentSpec), "What should be", required),
    status: field(3, ref(deploymentStatus), "What is", always),
  },
);
