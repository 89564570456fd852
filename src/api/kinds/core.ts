// The kinds of the core group.

import type { Kind } from "../kind.ts";
import { tokenRequest } from "../schema/authentication/token-request.ts";
import { binding } from "../schema/core/binding.ts";
import { componentStatus } from "../schema/core/component-status.ts";
import { configMap } from "../schema/core/config-map.ts";
import {
  nodeProxyOptions,
  podAttachOptions,
  podExecOptions,
  podPortForwardOptions,
  podProxyOptions,
  serviceProxyOptions,
} from "../schema/core/connect-options.ts";
import { endpoints } from "../schema/core/endpoints.ts";
import { event } from "../schema/core/event.ts";
import { limitRange } from "../schema/core/limit-range.ts";
import { namespace } from "../schema/core/namespace.ts";
import { node } from "../schema/core/node.ts";
import { persistentVolume } from "../schema/core/persistent-volume.ts";
import { persistentVolumeClaim } from "../schema/core/persistent-volume-claim.ts";
import { pod, podTemplate } from "../schema/core/pod.ts";
import { replicationController } from "../schema/core/replication-controller.ts";
import { resourceQuota } from "../schema/core/resource-quota.ts";
import { secret } from "../schema/core/secret.ts";
import { service } from "../schema/core/service.ts";
import { serviceAccount } from "../schema/core/service-account.ts";
import { eviction } from "../schema/policy/eviction.ts";
import {
  connect,
  inGroup,
  proxy,
  readAndWrite,
  scaleAndStatus,
  statusOnly,
  withoutDeleteCollection,
} from "./entry.ts";

export const coreKinds: readonly Kind[] = inGroup("", [
  { kind: "Binding", resource: "bindings", schema: binding, verbs: ["create"] },
  {
    kind: "ComponentStatus",
    resource: "componentstatuses",
    schema: componentStatus,
    shortNames: ["cs"],
    clusterWide: true,
    verbs: ["get", "list"],
  },
  { kind: "ConfigMap", resource: "configmaps", schema: configMap, shortNames: ["cm"] },
  { kind: "Endpoints", resource: "endpoints", schema: endpoints, shortNames: ["ep"] },
  { kind: "Event", resource: "events", schema: event, shortNames: ["ev"] },
  { kind: "LimitRange", resource: "limitranges", schema: limitRange, shortNames: ["limits"] },
  {
    kind: "Namespace",
    resource: "namespaces",
    schema: namespace,
    shortNames: ["ns"],
    clusterWide: true,
    verbs: withoutDeleteCollection,
    subresources: [
      { name: "finalize", verbs: ["update"] },
      { name: "status", verbs: readAndWrite },
    ],
  },
  {
    kind: "Node",
    resource: "nodes",
    schema: node,
    shortNames: ["no"],
    clusterWide: true,
    subresources: [
      {
        name: "proxy",
        verbs: proxy,
        shows: { kind: "NodeProxyOptions", schema: nodeProxyOptions },
      },
      { name: "status", verbs: readAndWrite },
    ],
  },
  {
    kind: "PersistentVolumeClaim",
    resource: "persistentvolumeclaims",
    schema: persistentVolumeClaim,
    shortNames: ["pvc"],
    subresources: statusOnly,
  },
  {
    kind: "PersistentVolume",
    resource: "persistentvolumes",
    schema: persistentVolume,
    shortNames: ["pv"],
    clusterWide: true,
    subresources: statusOnly,
  },
  {
    kind: "Pod",
    resource: "pods",
    schema: pod,
    shortNames: ["po"],
    categories: ["all"],
    subresources: [
      {
        name: "attach",
        verbs: connect,
        shows: { kind: "PodAttachOptions", schema: podAttachOptions },
      },
      { name: "binding", verbs: ["create"], shows: { kind: "Binding", schema: binding } },
      { name: "ephemeralcontainers", verbs: readAndWrite },
      {
        name: "eviction",
        verbs: ["create"],
        shows: { group: "policy", kind: "Eviction", schema: eviction },
      },
      { name: "exec", verbs: connect, shows: { kind: "PodExecOptions", schema: podExecOptions } },
      { name: "log", verbs: ["get"] },
      {
        name: "portforward",
        verbs: connect,
        shows: { kind: "PodPortForwardOptions", schema: podPortForwardOptions },
      },
      { name: "proxy", verbs: proxy, shows: { kind: "PodProxyOptions", schema: podProxyOptions } },
      { name: "resize", verbs: readAndWrite },
      { name: "status", verbs: readAndWrite },
    ],
  },
  { kind: "PodTemplate", resource: "podtemplates", schema: podTemplate },
  {
    kind: "ReplicationController",
    resource: "replicationcontrollers",
    schema: replicationController,
    shortNames: ["rc"],
    categories: ["all"],
    subresources: scaleAndStatus,
  },
  {
    kind: "ResourceQuota",
    resource: "resourcequotas",
    schema: resourceQuota,
    shortNames: ["quota"],
    subresources: statusOnly,
  },
  { kind: "Secret", resource: "secrets", schema: secret },
  {
    kind: "ServiceAccount",
    resource: "serviceaccounts",
    schema: serviceAccount,
    shortNames: ["sa"],
    subresources: [
      {
        name: "token",
        verbs: ["create"],
        shows: { group: "authentication.k8s.io", kind: "TokenRequest", schema: tokenRequest },
      },
    ],
  },
  {
    kind: "Service",
    resource: "services",
    schema: service,
    shortNames: ["svc"],
    categories: ["all"],
    subresources: [
      {
        name: "proxy",
        verbs: proxy,
        shows: { kind: "ServiceProxyOptions", schema: serviceProxyOptions },
      },
      { name: "status", verbs: readAndWrite },
    ],
  },
]);
