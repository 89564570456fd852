// Service: a lasting address for pods that come and go.

import { condition } from "../condition.ts";
import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  bool,
  byKey,
  field,
  int32,
  intOrString,
  listOf,
  mapOf,
  oneOf,
  pointer,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";
import { protocol } from "./values.ts";

const servicePort: TypeSchema = type("io.k8s.api.core.v1.ServicePort", "One port of a service", {
  name: field(1, string, "Needed if there are several"),
  protocol: field(2, protocol, "Transport that is spoken", { default: "TCP" }),
  appProtocol: field(6, string, "What is spoken above the transport", pointer),
  port: field(3, int32, "Where the service listens", required),
  targetPort: field(4, intOrString, "Number of the pods' port, or its name there", always),
  nodePort: field(5, int32, "Where nodes listen for it"),
});

const clientIPConfig: TypeSchema = type(
  "io.k8s.api.core.v1.ClientIPConfig",
  "Affinity by client address",
  {
    timeoutSeconds: field(1, int32, "How long a client stays with its pod", pointer),
  },
);

const sessionAffinityConfig: TypeSchema = type(
  "io.k8s.api.core.v1.SessionAffinityConfig",
  "Details of session affinity",
  {
    clientIP: field(1, ref(clientIPConfig), "For affinity by client address", pointer),
  },
);

const serviceSpec: TypeSchema = type(
  "io.k8s.api.core.v1.ServiceSpec",
  "Which pods, under which address, on which ports",
  {
    ports: field(
      1,
      listOf(ref(servicePort), { keys: ["port", "protocol"], mergeKey: "port" }),
      "What the service listens on",
    ),
    selector: field(
      2,
      mapOf(string, { atomic: true }),
      "Labels of the pods; without it someone else names the endpoints",
    ),
    clusterIP: field(3, string, "First address in the cluster; None gives the service no address"),
    clusterIPs: field(18, listOf(string), "One address per IP family"),
    type: field(
      4,
      oneOf("ClusterIP", "ExternalName", "LoadBalancer", "NodePort"),
      "How far the service can be reached from",
    ),
    externalIPs: field(5, listOf(string), "Further addresses that nodes accept traffic for"),
    sessionAffinity: field(
      7,
      oneOf("ClientIP", "None"),
      "ClientIP keeps a client with the same pod",
    ),
    loadBalancerIP: field(8, string, "Address wished for, where the balancer takes wishes"),
    loadBalancerSourceRanges: field(9, listOf(string), "Networks that the balancer lets in"),
    externalName: field(10, string, "Name that an ExternalName service stands for"),
    externalTrafficPolicy: field(
      11,
      oneOf("Cluster", "Local"),
      "Local keeps outside traffic on the node it came to",
    ),
    healthCheckNodePort: field(12, int32, "Where a balancer asks a node whether it has pods"),
    publishNotReadyAddresses: field(13, bool, "Pods that are not ready are listed too"),
    sessionAffinityConfig: field(
      14,
      ref(sessionAffinityConfig),
      "Details of the affinity",
      pointer,
    ),
    ipFamilies: field(
      19,
      listOf(oneOf("", "IPv4", "IPv6")),
      "IPv4, IPv6 or both, first is preferred",
    ),
    ipFamilyPolicy: field(
      17,
      oneOf("PreferDualStack", "RequireDualStack", "SingleStack"),
      "Whether one or two families are wanted or needed",
      pointer,
    ),
    allocateLoadBalancerNodePorts: field(
      20,
      bool,
      "Whether a balancer gets ports on the nodes",
      pointer,
    ),
    loadBalancerClass: field(21, string, "Which balancer serves it", pointer),
    internalTrafficPolicy: field(
      22,
      oneOf("Cluster", "Local"),
      "Local keeps traffic from pods on their node",
      pointer,
    ),
    trafficDistribution: field(23, string, "Which endpoints are preferred", pointer),
  },
);

const portStatus: TypeSchema = type("io.k8s.api.core.v1.PortStatus", "What was done for one port", {
  port: field(1, int32, "The number", required),
  protocol: field(2, protocol, "Transport that is spoken", required),
  error: field(3, string, "Why it failed, if it did", pointer),
});

const loadBalancerIngress: TypeSchema = type(
  "io.k8s.api.core.v1.LoadBalancerIngress",
  "One place where traffic can enter",
  {
    ip: field(1, string, "Address, for balancers that have one"),
    hostname: field(2, string, "Name, for balancers that have one"),
    ipMode: field(3, string, "Whether traffic arrives at the node with this address", pointer),
    ports: field(4, listOf(ref(portStatus)), "What was done for each port"),
  },
);

const loadBalancerStatus: TypeSchema = type(
  "io.k8s.api.core.v1.LoadBalancerStatus",
  "What a balancer gave a service",
  {
    ingress: field(1, listOf(ref(loadBalancerIngress)), "Where traffic can enter"),
  },
);

const serviceStatus: TypeSchema = type("io.k8s.api.core.v1.ServiceStatus", "What a service is", {
  loadBalancer: field(1, ref(loadBalancerStatus), "What the balancer gave it", always),
  conditions: field(2, listOf(ref(condition), byKey("type")), "Latest findings, one per type"),
});

export const service: TypeSchema = type(
  "io.k8s.api.core.v1.Service",
  "A lasting address for pods that come and go",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(serviceSpec), "What should be", always),
    status: field(3, ref(serviceStatus), "What is", always),
  },
);
