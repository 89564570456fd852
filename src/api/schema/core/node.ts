// Node: a machine that runs pods.

import { metadata, typeMeta } from "../meta.ts";
import {
  always,
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
  setOf,
  string,
  type TypeSchema,
  time,
  type,
} from "../schema.ts";
import { taintEffect } from "./values.ts";

const taint: TypeSchema = type("io.k8s.api.core.v1.Taint", "Keeps pods away from a node", {
  key: field(1, string, "Name of the taint", required),
  value: field(2, string, "Of the taint"),
  effect: field(3, taintEffect, "What happens to pods that do not tolerate it", required),
  timeAdded: field(4, time, "Since when, for NoExecute", pointer),
});

const configMapNodeConfigSource: TypeSchema = type(
  "io.k8s.api.core.v1.ConfigMapNodeConfigSource",
  "A ConfigMap with the agent's settings; no longer used",
  {
    namespace: field(1, string, "Where it lives", required),
    name: field(2, string, "Its name", required),
    uid: field(3, string, "Tells it from others of the same name"),
    resourceVersion: field(4, string, "The state that is meant"),
    kubeletConfigKey: field(5, string, "The key that holds the settings", required),
  },
);

const nodeConfigSource: TypeSchema = type("io.k8s.api.core.v1.NodeConfigSource", "No longer used", {
  configMap: field(
    2,
    ref(configMapNodeConfigSource),
    "A ConfigMap with the agent's settings",
    pointer,
  ),
});

const nodePodPreemptionPolicy: TypeSchema = type(
  "io.k8s.api.core.v1.NodePodPreemptionPolicy",
  "When a node may push pods aside",
  {
    disableResizePreemption: field(1, setOf(string), "Not for the sake of a pod that grows"),
  },
);

const nodeSpec: TypeSchema = type("io.k8s.api.core.v1.NodeSpec", "What a node should be", {
  podCIDR: field(1, string, "First network of its pods"),
  podCIDRs: field(7, setOf(string, { merge: true }), "Networks of its pods, one per IP family"),
  providerID: field(3, string, "Its id at the cloud provider"),
  unschedulable: field(4, bool, "No new pods"),
  taints: field(5, listOf(ref(taint)), "Keep pods away that do not tolerate them"),
  configSource: field(6, ref(nodeConfigSource), "No longer used", pointer),
  externalID: field(2, string, "No longer used"),
  podPreemptionPolicy: field(
    8,
    ref(nodePodPreemptionPolicy),
    "When it may push pods aside",
    pointer,
  ),
});

const nodeCondition: TypeSchema = type(
  "io.k8s.api.core.v1.NodeCondition",
  "One finding about a node",
  {
    type: field(1, string, "What is judged", required),
    status: field(2, string, "True, False or Unknown", required),
    lastHeartbeatTime: field(3, time, "When this was last confirmed", always),
    lastTransitionTime: field(4, time, "When the status last flipped", always),
    reason: field(5, string, "One CamelCase word for programs"),
    message: field(6, string, "A sentence for people"),
  },
);

const nodeAddress: TypeSchema = type("io.k8s.api.core.v1.NodeAddress", "One address of a node", {
  type: field(1, string, "What kind of address", required),
  address: field(2, string, "The address", required),
});

const daemonEndpoint: TypeSchema = type("io.k8s.api.core.v1.DaemonEndpoint", "One port", {
  Port: field(1, int32, "The number", required),
});

const nodeDaemonEndpoints: TypeSchema = type(
  "io.k8s.api.core.v1.NodeDaemonEndpoints",
  "Ports of a node's agents",
  {
    kubeletEndpoint: field(1, ref(daemonEndpoint), "Of the agent that runs pods", always),
  },
);

const nodeSwapStatus: TypeSchema = type(
  "io.k8s.api.core.v1.NodeSwapStatus",
  "Swap space of a node",
  {
    capacity: field(1, int64, "In bytes", pointer),
  },
);

const nodeSystemInfo: TypeSchema = type(
  "io.k8s.api.core.v1.NodeSystemInfo",
  "The system of a node",
  {
    machineID: field(1, string, "Id of the installation", required),
    systemUUID: field(2, string, "Id of the hardware", required),
    bootID: field(3, string, "Id of this boot", required),
    kernelVersion: field(4, string, "Of its kernel", required),
    osImage: field(5, string, "Its distribution", required),
    containerRuntimeVersion: field(6, string, "Name and version of its runtime", required),
    kubeletVersion: field(7, string, "Of its agent", required),
    kubeProxyVersion: field(8, string, "No longer filled in", required),
    operatingSystem: field(9, string, "linux or windows", required),
    architecture: field(10, string, "Of its processor", required),
    swap: field(11, ref(nodeSwapStatus), "Its swap space", pointer),
    runningInUserNamespace: field(
      12,
      bool,
      "Its agent runs without the host's root rights",
      pointer,
    ),
  },
);

const containerImage: TypeSchema = type(
  "io.k8s.api.core.v1.ContainerImage",
  "An image that a node has fetched",
  {
    names: field(1, listOf(string), "By which it is known", always),
    sizeBytes: field(2, int64, "On the disk"),
  },
);

const attachedVolume: TypeSchema = type(
  "io.k8s.api.core.v1.AttachedVolume",
  "A volume, and the device it is on the node",
  {
    name: field(1, string, "Of the volume", required),
    devicePath: field(2, string, "Device that it became", required),
  },
);

const nodeConfigStatus: TypeSchema = type("io.k8s.api.core.v1.NodeConfigStatus", "No longer used", {
  assigned: field(1, ref(nodeConfigSource), "Settings that it shall try", pointer),
  active: field(2, ref(nodeConfigSource), "Settings in force", pointer),
  lastKnownGood: field(3, ref(nodeConfigSource), "Settings to fall back to", pointer),
  error: field(4, string, "Why it fell back"),
});

const nodeRuntimeHandlerFeatures: TypeSchema = type(
  "io.k8s.api.core.v1.NodeRuntimeHandlerFeatures",
  "What a runtime can do",
  {
    recursiveReadOnlyMounts: field(
      1,
      bool,
      "Make mounts below a read-only mount read-only",
      pointer,
    ),
    userNamespaces: field(2, bool, "Give pods user ids of their own", pointer),
  },
);

const nodeRuntimeHandler: TypeSchema = type(
  "io.k8s.api.core.v1.NodeRuntimeHandler",
  "A runtime that a node offers",
  {
    name: field(1, string, "Empty for the usual one", always),
    features: field(2, ref(nodeRuntimeHandlerFeatures), "What it can do", pointer),
  },
);

const nodeFeatures: TypeSchema = type(
  "io.k8s.api.core.v1.NodeFeatures",
  "What a node's runtime can do",
  {
    supplementalGroupsPolicy: field(1, bool, "Leave out groups from the image's files", pointer),
  },
);

const nodeStatus: TypeSchema = type("io.k8s.api.core.v1.NodeStatus", "What a node is", {
  capacity: field(1, mapOf(quantity), "What it has, by resource"),
  allocatable: field(2, mapOf(quantity), "What pods may use of it, by resource"),
  phase: field(3, oneOf("Pending", "Running", "Terminated"), "No longer filled in"),
  conditions: field(4, listOf(ref(nodeCondition), byKey("type")), "Latest findings, one per type"),
  addresses: field(5, listOf(ref(nodeAddress), byKey("type")), "Where it can be reached"),
  daemonEndpoints: field(6, ref(nodeDaemonEndpoints), "Ports of its agents", always),
  nodeInfo: field(7, ref(nodeSystemInfo), "Its system", always),
  images: field(8, listOf(ref(containerImage)), "Images that it has fetched"),
  volumesInUse: field(9, listOf(string), "Volumes that are mounted"),
  volumesAttached: field(10, listOf(ref(attachedVolume)), "Volumes that are attached"),
  config: field(11, ref(nodeConfigStatus), "No longer used", pointer),
  runtimeHandlers: field(12, listOf(ref(nodeRuntimeHandler)), "Runtimes that it offers"),
  features: field(13, ref(nodeFeatures), "What its runtime can do", pointer),
  declaredFeatures: field(14, listOf(string), "What it says it can do"),
});

export const node: TypeSchema = type("io.k8s.api.core.v1.Node", "A machine that runs pods", {
  ...typeMeta,
  metadata,
  spec: field(2, ref(nodeSpec), "What should be", always),
  status: field(3, ref(nodeStatus), "What is", always),
});
