// DaemonSet: one pod on every node.

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

const rollingUpdateDaemonSet: TypeSchema = type(
  "io.k8s.api.apps.v1.RollingUpdateDaemonSet",
  "Sizes of the steps of a rolling update",
  {
    maxUnavailable: field(1, intOrString, "On how many nodes the pod may be missing", pointer),
    maxSurge: field(2, intOrString, "On how many nodes old and new may run together", pointer),
  },
);

const daemonSetUpdateStrategy: TypeSchema = type(
  "io.k8s.api.apps.v1.DaemonSetUpdateStrategy",
  "How old pods give way to new ones",
  {
    type: field(1, oneOf("OnDelete", "RollingUpdate"), "By itself, or when someone deletes them"),
    rollingUpdate: field(2, ref(rollingUpdateDaemonSet), "Sizes of the steps", pointer),
  },
);

const daemonSetSpec: TypeSchema = type(
  "io.k8s.api.apps.v1.DaemonSetSpec",
  "Which pod, and how it is replaced",
  {
    selector: field(1, ref(labelSelector), "Labels of its pods", { ...required, pointer: true }),
    template: field(
      2,
      ref(podTemplateSpec),
      "What new pods are made from; also says on which nodes",
      required,
    ),
    updateStrategy: field(
      3,
      ref(daemonSetUpdateStrategy),
      "How old pods give way to new ones",
      always,
    ),
    minReadySeconds: field(4, int32, "How long a new pod must be ready to count as available"),
    revisionHistoryLimit: field(6, int32, "How many old versions are kept to go back to", pointer),
  },
);

const daemonSetCondition: TypeSchema = type(
  "io.k8s.api.apps.v1.DaemonSetCondition",
  "One finding about a daemon set",
  {
    type: field(1, string, "What is judged", always),
    status: field(2, string, "True, False or Unknown", always),
    lastTransitionTime: field(3, time, "When the status last flipped", always),
    reason: field(4, string, "One CamelCase word for programs"),
    message: field(5, string, "A sentence for people"),
  },
);

const daemonSetStatus: TypeSchema = type(
  "io.k8s.api.apps.v1.DaemonSetStatus",
  "On how many nodes the pod runs",
  {
    currentNumberScheduled: field(1, int32, "Nodes that should run it and do", required),
    numberMisscheduled: field(2, int32, "Nodes that run it and should not", required),
    desiredNumberScheduled: field(3, int32, "Nodes that should run it", required),
    numberReady: field(4, int32, "Nodes where it is ready", required),
    observedGeneration: field(5, int64, "Generation of the object that this is about"),
    updatedNumberScheduled: field(6, int32, "Nodes that run the newest version"),
    numberAvailable: field(7, int32, "Nodes where it has been ready for long enough"),
    numberUnavailable: field(8, int32, "Nodes where it should be available and is not"),
    collisionCount: field(9, int32, "How often the name of a new revision was taken", pointer),
    conditions: field(
      10,
      listOf(ref(daemonSetCondition), byKey("type")),
      "Latest findings, one per type",
    ),
  },
);

export const daemonSet: TypeSchema = type(
  "io.k8s.api.apps.v1.DaemonSet",
  "Runs one pod on every node that fits",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(daemonSetSpec), "What should be", required),
    status: field(3, ref(daemonSetStatus), "What is", always),
  },
);
