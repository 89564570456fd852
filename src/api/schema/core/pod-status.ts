// What the node reports about a pod.

import {
  always,
  byKey,
  field,
  int64,
  listOf,
  mapOf,
  oneOf,
  pointer,
  quantity,
  ref,
  required,
  setOf,
  string,
  type TypeSchema,
  time,
  type,
} from "../schema.ts";
import { containerStatus } from "./container-status.ts";
import { resourceRequirements } from "./resources.ts";
import { volumeHealthCondition } from "./volume-health.ts";

const podCondition: TypeSchema = type(
  "io.k8s.api.core.v1.PodCondition",
  "One finding about a pod",
  {
    type: field(1, string, "What is judged", required),
    observedGeneration: field(7, int64, "Generation of the pod that was judged"),
    status: field(2, string, "True, False or Unknown", required),
    lastProbeTime: field(3, time, "When this was last looked at", always),
    lastTransitionTime: field(4, time, "When the status last flipped", always),
    reason: field(5, string, "One CamelCase word for programs"),
    message: field(6, string, "A sentence for people"),
  },
);

const hostIP: TypeSchema = type("io.k8s.api.core.v1.HostIP", "An address of a node", {
  ip: field(1, string, "The address", required),
});

const podIP: TypeSchema = type("io.k8s.api.core.v1.PodIP", "An address of a pod", {
  ip: field(1, string, "The address", required),
});

const podResourceClaimStatus: TypeSchema = type(
  "io.k8s.api.core.v1.PodResourceClaimStatus",
  "A claim of a pod as it turned out",
  {
    name: field(1, string, "In the pod's spec", required),
    resourceClaimName: field(2, string, "The claim that was made or found", pointer),
  },
);

const containerExtendedResourceRequest: TypeSchema = type(
  "io.k8s.api.core.v1.ContainerExtendedResourceRequest",
  "A container's extended resource as a request",
  {
    containerName: field(1, string, "The container", required),
    resourceName: field(2, string, "The resource", required),
    requestName: field(3, string, "The request of the claim", required),
  },
);

const podExtendedResourceClaimStatus: TypeSchema = type(
  "io.k8s.api.core.v1.PodExtendedResourceClaimStatus",
  "The claim made for a pod's extended resources",
  {
    requestMappings: field(
      1,
      listOf(ref(containerExtendedResourceRequest)),
      "Which container's wish is which request",
      required,
    ),
    resourceClaimName: field(2, string, "Name of the claim", required),
  },
);

const nodeAllocatableMappedResources: TypeSchema = type(
  "io.k8s.api.core.v1.NodeAllocatableMappedResources",
  "Amount of a node resource",
  {
    name: field(1, string, "Of the resource", required),
    quantity: field(2, quantity, "How much", { ...required, pointer: true }),
  },
);

const nodeAllocatableOverheadResources: TypeSchema = type(
  "io.k8s.api.core.v1.NodeAllocatableOverheadResources",
  "Extra amount of a node resource",
  {
    name: field(1, string, "Of the resource", required),
    perPod: field(2, quantity, "Once for the pod", pointer),
    perContainer: field(3, quantity, "Once for each container", pointer),
  },
);

const nodeAllocatableResourceClaimStatus: TypeSchema = type(
  "io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus",
  "Node resources that one claim takes up",
  {
    resourceClaimName: field(1, string, "The claim", required),
    containers: field(2, setOf(string), "Containers that use it"),
    mapping: field(
      4,
      listOf(ref(nodeAllocatableMappedResources), byKey("name")),
      "What its devices stand for",
    ),
    overhead: field(
      5,
      listOf(ref(nodeAllocatableOverheadResources), byKey("name")),
      "What using it costs besides",
    ),
  },
);

const podVolumeHealth: TypeSchema = type(
  "io.k8s.api.core.v1.PodVolumeHealth",
  "A volume of a pod that is not well",
  {
    name: field(1, string, "Of the volume", required),
    healthConditions: field(
      2,
      listOf(ref(volumeHealthCondition), { keys: ["status", "reason"], mergeKey: "status" }),
      "What is wrong",
    ),
    lastTransitionTime: field(3, time, "When this last changed", always),
  },
);

export const podStatus: TypeSchema = type("io.k8s.api.core.v1.PodStatus", "What a pod is", {
  observedGeneration: field(17, int64, "Generation of the pod that this is about"),
  phase: field(
    1,
    oneOf("Failed", "Pending", "Running", "Succeeded", "Unknown"),
    "Where it is in its life",
  ),
  conditions: field(2, listOf(ref(podCondition), byKey("type")), "Latest findings, one per type"),
  message: field(3, string, "Why it is so, for people"),
  reason: field(4, string, "Why it is so, one word for programs"),
  nominatedNodeName: field(11, string, "Node on which room is being made for it"),
  hostIP: field(5, string, "Address of its node"),
  hostIPs: field(
    16,
    listOf(ref(hostIP), { mergeKey: "ip" }),
    "Addresses of its node, one per IP family",
  ),
  podIP: field(6, string, "Its address"),
  podIPs: field(12, listOf(ref(podIP), byKey("ip")), "Its addresses, one per IP family"),
  startTime: field(7, time, "When the node took it on", pointer),
  initContainerStatuses: field(10, listOf(ref(containerStatus)), "Its init containers"),
  containerStatuses: field(8, listOf(ref(containerStatus)), "Its containers"),
  qosClass: field(
    9,
    oneOf("BestEffort", "Burstable", "Guaranteed"),
    "In which order pods go when the node runs short",
  ),
  ephemeralContainerStatuses: field(13, listOf(ref(containerStatus)), "Its ephemeral containers"),
  resize: field(14, string, "Outdated word on a change of size"),
  resourceClaimStatuses: field(
    15,
    listOf(ref(podResourceClaimStatus), byKey("name")),
    "Its resource claims",
    { retainKeys: true },
  ),
  extendedResourceClaimStatus: field(
    18,
    ref(podExtendedResourceClaimStatus),
    "Claim made for its extended resources",
    pointer,
  ),
  allocatedResources: field(19, mapOf(quantity), "What the node set aside for the pod as a whole"),
  resources: field(
    20,
    ref(resourceRequirements),
    "What the pod as a whole really may use",
    pointer,
  ),
  nodeAllocatableResourceClaimStatuses: field(
    21,
    listOf(ref(nodeAllocatableResourceClaimStatus), byKey("resourceClaimName")),
    "Node resources that its claims take up",
  ),
  volumeHealth: field(
    22,
    listOf(ref(podVolumeHealth), { keys: ["name"] }),
    "Volumes that are not well",
  ),
});
