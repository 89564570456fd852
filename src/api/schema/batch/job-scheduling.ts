// How a job's pods are placed as a group.

import {
  byKey,
  field,
  int32,
  listOf,
  pointer,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";

const workloadPodGroupBasicSchedulingPolicy: TypeSchema = type(
  "io.k8s.api.scheduling.v1alpha3.WorkloadPodGroupBasicSchedulingPolicy",
  "Pod by pod; has no settings",
  {},
);

const workloadPodGroupGangSchedulingPolicy: TypeSchema = type(
  "io.k8s.api.scheduling.v1alpha3.WorkloadPodGroupGangSchedulingPolicy",
  "Together or not at all",
  {
    minCount: field(1, int32, "How many must fit at once", pointer),
  },
);

const workloadPodGroupSchedulingPolicy: TypeSchema = type(
  "io.k8s.api.scheduling.v1alpha3.WorkloadPodGroupSchedulingPolicy",
  "How a group is scheduled; one of them",
  {
    basic: field(1, ref(workloadPodGroupBasicSchedulingPolicy), "Pod by pod", pointer),
    gang: field(2, ref(workloadPodGroupGangSchedulingPolicy), "Together or not at all", pointer),
  },
);

const topologyConstraint: TypeSchema = type(
  "io.k8s.api.scheduling.v1alpha3.TopologyConstraint",
  "A part of the cluster",
  {
    key: field(1, string, "Node label; nodes that share its value are one part", required),
  },
);

const workloadPodGroupSchedulingConstraints: TypeSchema = type(
  "io.k8s.api.scheduling.v1alpha3.WorkloadPodGroupSchedulingConstraints",
  "Where a group may be placed",
  {
    topology: field(
      1,
      listOf(ref(topologyConstraint)),
      "Parts of the cluster that it must not leave",
    ),
  },
);

const workloadPodGroupSingleDisruptionMode: TypeSchema = type(
  "io.k8s.api.scheduling.v1alpha3.WorkloadPodGroupSingleDisruptionMode",
  "Pod by pod; has no settings",
  {},
);

const workloadPodGroupAllDisruptionMode: TypeSchema = type(
  "io.k8s.api.scheduling.v1alpha3.WorkloadPodGroupAllDisruptionMode",
  "Only as a whole; has no settings",
  {},
);

const workloadPodGroupDisruptionMode: TypeSchema = type(
  "io.k8s.api.scheduling.v1alpha3.WorkloadPodGroupDisruptionMode",
  "How a group may be disrupted; one of them",
  {
    single: field(1, ref(workloadPodGroupSingleDisruptionMode), "Pod by pod", pointer),
    all: field(2, ref(workloadPodGroupAllDisruptionMode), "Only as a whole", pointer),
  },
);

const workloadPodGroupResourceClaim: TypeSchema = type(
  "io.k8s.api.scheduling.v1alpha3.WorkloadPodGroupResourceClaim",
  "A claim that a group shares, by name or from a template",
  {
    name: field(1, string, "For its pods to refer to", required),
    resourceClaimName: field(2, string, "A claim that exists", pointer),
    resourceClaimTemplateName: field(3, string, "A template to make one from", pointer),
  },
);

export const jobSchedulingConfiguration: TypeSchema = type(
  "io.k8s.api.batch.v1.JobSchedulingConfiguration",
  "How a job's pods are placed as a group",
  {
    schedulingPolicy: field(
      1,
      ref(workloadPodGroupSchedulingPolicy),
      "One by one or together",
      pointer,
    ),
    schedulingConstraints: field(
      2,
      ref(workloadPodGroupSchedulingConstraints),
      "Where the group may be placed",
      pointer,
    ),
    disruptionMode: field(
      3,
      ref(workloadPodGroupDisruptionMode),
      "Whether pods may be pushed aside one by one",
      pointer,
    ),
    resourceClaims: field(
      4,
      listOf(ref(workloadPodGroupResourceClaim), byKey("name")),
      "Claims that the group shares",
    ),
  },
);
