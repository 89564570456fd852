// What a pod should be.

import {
  bool,
  byKey,
  field,
  int32,
  int64,
  listOf,
  mapOf,
  oneOf,
  pointer,
  quantity,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";
import { labelSelector } from "../selector.ts";
import { affinity } from "./affinity.ts";
import { container, ephemeralContainer } from "./container.ts";
import { localObjectReference } from "./references.ts";
import { resourceRequirements } from "./resources.ts";
import { podSecurityContext } from "./security-context.ts";
import { taintEffect } from "./values.ts";
import { volume } from "./volume.ts";

const nodeInclusionPolicy = oneOf("Honor", "Ignore");

const toleration: TypeSchema = type(
  "io.k8s.api.core.v1.Toleration",
  "A taint that a pod puts up with",
  {
    key: field(1, string, "Of the taint; any if empty"),
    operator: field(
      2,
      oneOf("Equal", "Exists", "Gt", "Lt"),
      "How the value is compared; Equal if empty",
    ),
    value: field(3, string, "Of the taint"),
    effect: field(4, taintEffect, "Of the taint; any if empty"),
    tolerationSeconds: field(5, int64, "For how long, with NoExecute; forever if absent", pointer),
  },
);

const hostAlias: TypeSchema = type("io.k8s.api.core.v1.HostAlias", "A line of the hosts file", {
  ip: field(1, string, "The address", required),
  hostnames: field(2, listOf(string), "Names for it"),
});

const podDNSConfigOption: TypeSchema = type(
  "io.k8s.api.core.v1.PodDNSConfigOption",
  "An option of the resolver",
  {
    name: field(1, string, "Of the option"),
    value: field(2, string, "Of the option, if it takes one", pointer),
  },
);

const podDNSConfig: TypeSchema = type(
  "io.k8s.api.core.v1.PodDNSConfig",
  "How names are looked up",
  {
    nameservers: field(1, listOf(string), "Further servers"),
    searches: field(2, listOf(string), "Further domains to try"),
    options: field(3, listOf(ref(podDNSConfigOption)), "Options of the resolver"),
  },
);

const podReadinessGate: TypeSchema = type(
  "io.k8s.api.core.v1.PodReadinessGate",
  "A condition that must hold for a pod to be ready",
  {
    conditionType: field(1, string, "Type of the condition", required),
  },
);

const topologySpreadConstraint: TypeSchema = type(
  "io.k8s.api.core.v1.TopologySpreadConstraint",
  "How evenly pods spread over parts of the cluster",
  {
    maxSkew: field(1, int32, "How many more one part may have than another", required),
    topologyKey: field(2, string, "Node label whose values are the parts", required),
    whenUnsatisfiable: field(
      3,
      oneOf("DoNotSchedule", "ScheduleAnyway"),
      "Whether the pod waits or goes anywhere",
      required,
    ),
    labelSelector: field(4, ref(labelSelector), "The pods that are counted", pointer),
    minDomains: field(5, int32, "How many parts there must be", pointer),
    nodeAffinityPolicy: field(
      6,
      nodeInclusionPolicy,
      "Whether nodes that the pod avoids count",
      pointer,
    ),
    nodeTaintsPolicy: field(
      7,
      nodeInclusionPolicy,
      "Whether nodes that refuse the pod count",
      pointer,
    ),
    matchLabelKeys: field(8, listOf(string), "Labels in which counted pods must equal the new one"),
  },
);

const podOS: TypeSchema = type("io.k8s.api.core.v1.PodOS", "An operating system", {
  name: field(1, string, "linux or windows", required),
});

const podSchedulingGate: TypeSchema = type(
  "io.k8s.api.core.v1.PodSchedulingGate",
  "Holds a pod back from scheduling",
  {
    name: field(1, string, "Of the gate", required),
  },
);

const podResourceClaim: TypeSchema = type(
  "io.k8s.api.core.v1.PodResourceClaim",
  "A claim of a pod, by name or from a template",
  {
    name: field(1, string, "For its containers to refer to", required),
    resourceClaimName: field(3, string, "A claim that exists", pointer),
    resourceClaimTemplateName: field(4, string, "A template to make one from", pointer),
  },
);

const podSchedulingGroup: TypeSchema = type(
  "io.k8s.api.core.v1.PodSchedulingGroup",
  "The group that a pod is scheduled with",
  {
    podGroupName: field(1, string, "Name of the group", pointer),
  },
);

const evictionResponder: TypeSchema = type(
  "io.k8s.api.core.v1.EvictionResponder",
  "Someone with a say when a pod is evicted",
  {
    name: field(1, string, "Who", required),
    priority: field(2, int32, "Those with more are asked first", { ...required, pointer: true }),
  },
  { atomic: true },
);

export const podSpec: TypeSchema = type("io.k8s.api.core.v1.PodSpec", "What a pod should be", {
  volumes: field(1, listOf(ref(volume), byKey("name")), "Files that its containers can mount", {
    retainKeys: true,
  }),
  initContainers: field(
    20,
    listOf(ref(container), byKey("name")),
    "Run one after another before the others start",
  ),
  containers: field(
    2,
    listOf(ref(container), byKey("name")),
    "What the pod is there to run",
    required,
  ),
  ephemeralContainers: field(
    34,
    listOf(ref(ephemeralContainer), byKey("name")),
    "Added later, for looking into it",
  ),
  restartPolicy: field(
    3,
    oneOf("Always", "Never", "OnFailure"),
    "Whether ended containers start again",
  ),
  terminationGracePeriodSeconds: field(4, int64, "Time to stop before it is killed", pointer),
  activeDeadlineSeconds: field(5, int64, "How long it may run in all", pointer),
  dnsPolicy: field(
    6,
    oneOf("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
    "Where names are looked up",
  ),
  nodeSelector: field(7, mapOf(string, { atomic: true }), "Labels that its node must have"),
  serviceAccountName: field(8, string, "Identity of its processes"),
  serviceAccount: field(9, string, "Outdated spelling of serviceAccountName"),
  automountServiceAccountToken: field(21, bool, "Whether it gets a token without asking", pointer),
  nodeName: field(10, string, "The node it runs on; set by the scheduler"),
  hostNetwork: field(11, bool, "Use the node's network"),
  hostPID: field(12, bool, "See the node's processes"),
  hostIPC: field(13, bool, "Share the node's System V memory and semaphores"),
  shareProcessNamespace: field(27, bool, "Containers see each other's processes", pointer),
  securityContext: field(14, ref(podSecurityContext), "With which rights it runs", pointer),
  imagePullSecrets: field(
    15,
    listOf(ref(localObjectReference), byKey("name")),
    "Credentials for its images",
  ),
  hostname: field(16, string, "Its host name instead of its own name"),
  subdomain: field(17, string, "Domain of its host name"),
  affinity: field(18, ref(affinity), "Where it would like to run", pointer),
  schedulerName: field(19, string, "Who finds its node"),
  tolerations: field(22, listOf(ref(toleration)), "Taints of nodes that it puts up with"),
  hostAliases: field(23, listOf(ref(hostAlias), byKey("ip")), "Lines for its hosts file"),
  priorityClassName: field(24, string, "Names its priority"),
  priority: field(25, int32, "Pods with more may push it aside", pointer),
  dnsConfig: field(26, ref(podDNSConfig), "Changes what the policy says", pointer),
  readinessGates: field(
    28,
    listOf(ref(podReadinessGate)),
    "Conditions that must hold for it to be ready",
  ),
  runtimeClassName: field(29, string, "Which runtime runs it", pointer),
  enableServiceLinks: field(30, bool, "Variables about services, as in early days", pointer),
  preemptionPolicy: field(
    31,
    oneOf("Never", "PreemptLowerPriority"),
    "Whether it may push others aside",
    pointer,
  ),
  overhead: field(32, mapOf(quantity), "What the runtime itself needs"),
  topologySpreadConstraints: field(
    33,
    listOf(ref(topologySpreadConstraint), {
      keys: ["topologyKey", "whenUnsatisfiable"],
      mergeKey: "topologyKey",
    }),
    "How pods like it spread over the cluster",
  ),
  setHostnameAsFQDN: field(35, bool, "The kernel's host name carries the domain", pointer),
  os: field(36, ref(podOS), "Operating system that it is made for", pointer),
  hostUsers: field(37, bool, "False gives it user ids of its own", pointer),
  schedulingGates: field(
    38,
    listOf(ref(podSchedulingGate), byKey("name")),
    "It is not scheduled while there are any",
  ),
  resourceClaims: field(
    39,
    listOf(ref(podResourceClaim), byKey("name")),
    "Claims that must be fulfilled before it starts",
    { retainKeys: true },
  ),
  resources: field(
    40,
    ref(resourceRequirements),
    "How much the pod as a whole asks for and may use",
    pointer,
  ),
  hostnameOverride: field(41, string, "Its host name, whatever else is said", pointer),
  schedulingGroup: field(
    43,
    ref(podSchedulingGroup),
    "Group of pods that it is scheduled with",
    pointer,
  ),
  evictionResponders: field(
    44,
    listOf(ref(evictionResponder), byKey("name")),
    "Who has a say when it is evicted",
  ),
});
