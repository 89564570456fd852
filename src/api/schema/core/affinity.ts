// Where a pod would like to run, and next to whom.

import {
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
import { labelSelector } from "../selector.ts";
import { nodeSelector, nodeSelectorTerm } from "./node-selector.ts";

const preferredSchedulingTerm: TypeSchema = type(
  "io.k8s.api.core.v1.PreferredSchedulingTerm",
  "A wish about nodes and its weight",
  {
    weight: field(1, int32, "1 to 100", required),
    preference: field(2, ref(nodeSelectorTerm), "The nodes meant", required),
  },
);

const nodeAffinity: TypeSchema = type(
  "io.k8s.api.core.v1.NodeAffinity",
  "On which nodes a pod would like to run",
  {
    requiredDuringSchedulingIgnoredDuringExecution: field(
      1,
      ref(nodeSelector),
      "It runs nowhere else",
      pointer,
    ),
    preferredDuringSchedulingIgnoredDuringExecution: field(
      2,
      listOf(ref(preferredSchedulingTerm)),
      "It would rather run here",
    ),
  },
);

const podAffinityTerm: TypeSchema = type(
  "io.k8s.api.core.v1.PodAffinityTerm",
  "Pods, and what counts as near them",
  {
    labelSelector: field(1, ref(labelSelector), "The pods meant", pointer),
    namespaces: field(2, listOf(string), "Namespaces to look in; the pod's own if none"),
    topologyKey: field(3, string, "Node label; nodes that share its value are near", required),
    namespaceSelector: field(
      4,
      ref(labelSelector),
      "More namespaces to look in, by label",
      pointer,
    ),
    matchLabelKeys: field(5, listOf(string), "Labels in which the pods must equal the new one"),
    mismatchLabelKeys: field(
      6,
      listOf(string),
      "Labels in which the pods must differ from the new one",
    ),
  },
);

const weightedPodAffinityTerm: TypeSchema = type(
  "io.k8s.api.core.v1.WeightedPodAffinityTerm",
  "A wish about pods and its weight",
  {
    weight: field(1, int32, "1 to 100", required),
    podAffinityTerm: field(2, ref(podAffinityTerm), "The pods, and what is near", required),
  },
);

const podAffinity: TypeSchema = type(
  "io.k8s.api.core.v1.PodAffinity",
  "Near which pods a pod would like to run",
  {
    requiredDuringSchedulingIgnoredDuringExecution: field(
      1,
      listOf(ref(podAffinityTerm)),
      "All must hold",
    ),
    preferredDuringSchedulingIgnoredDuringExecution: field(
      2,
      listOf(ref(weightedPodAffinityTerm)),
      "Wishes by weight",
    ),
  },
);

const podAntiAffinity: TypeSchema = type(
  "io.k8s.api.core.v1.PodAntiAffinity",
  "Away from which pods a pod would like to run",
  {
    requiredDuringSchedulingIgnoredDuringExecution: field(
      1,
      listOf(ref(podAffinityTerm)),
      "All must hold",
    ),
    preferredDuringSchedulingIgnoredDuringExecution: field(
      2,
      listOf(ref(weightedPodAffinityTerm)),
      "Wishes by weight",
    ),
  },
);

export const affinity: TypeSchema = type(
  "io.k8s.api.core.v1.Affinity",
  "Where a pod would like to run",
  {
    nodeAffinity: field(1, ref(nodeAffinity), "On which nodes", pointer),
    podAffinity: field(2, ref(podAffinity), "Near which pods", pointer),
    podAntiAffinity: field(3, ref(podAntiAffinity), "Away from which pods", pointer),
  },
);
