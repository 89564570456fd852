// Ingress: the way of HTTP requests from outside to services.

import { typedLocalObjectReference } from "../core/references.ts";
import { protocol } from "../core/values.ts";
import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  field,
  inlined,
  int32,
  listOf,
  oneOf,
  pointer,
  ref,
  required,
  string,
  type TypeSchema,
  type,
} from "../schema.ts";

const serviceBackendPort: TypeSchema = type(
  "io.k8s.api.networking.v1.ServiceBackendPort",
  "A port by name or number",
  {
    name: field(1, string, "Of the port"),
    number: field(2, int32, "Of the port"),
  },
  { atomic: true },
);

const ingressServiceBackend: TypeSchema = type(
  "io.k8s.api.networking.v1.IngressServiceBackend",
  "A service and its port",
  {
    name: field(1, string, "Of the service", required),
    port: field(2, ref(serviceBackendPort), "Of the service", always),
  },
);

const ingressBackend: TypeSchema = type(
  "io.k8s.api.networking.v1.IngressBackend",
  "Where requests go; one of them",
  {
    service: field(4, ref(ingressServiceBackend), "A service", pointer),
    resource: field(3, ref(typedLocalObjectReference), "Some other object", pointer),
  },
);

const ingressTLS: TypeSchema = type(
  "io.k8s.api.networking.v1.IngressTLS",
  "Hosts that share a certificate",
  {
    hosts: field(1, listOf(string), "Names of the hosts"),
    secretName: field(2, string, "Secret with key and certificate"),
  },
);

const httpIngressPath: TypeSchema = type(
  "io.k8s.api.networking.v1.HTTPIngressPath",
  "One path and where it leads",
  {
    path: field(1, string, "Of the request"),
    pathType: field(
      3,
      oneOf("Exact", "ImplementationSpecific", "Prefix"),
      "How paths are compared",
      { ...required, pointer: true },
    ),
    backend: field(2, ref(ingressBackend), "Where it leads", required),
  },
);

const httpIngressRuleValue: TypeSchema = type(
  "io.k8s.api.networking.v1.HTTPIngressRuleValue",
  "Paths of a host",
  {
    paths: field(1, listOf(ref(httpIngressPath)), "Paths and where they lead", required),
  },
);

const ingressRuleValue: TypeSchema = type(
  "io.k8s.api.networking.v1.IngressRuleValue",
  "What holds for a host",
  {
    http: field(1, ref(httpIngressRuleValue), "Paths and where they lead", pointer),
  },
);

const ingressRule: TypeSchema = type(
  "io.k8s.api.networking.v1.IngressRule",
  "What holds for one host",
  {
    host: field(1, string, "Name of the host, *. for any below; all if empty"),
    ...inlined(2, ingressRuleValue),
  },
);

const ingressSpec: TypeSchema = type(
  "io.k8s.api.networking.v1.IngressSpec",
  "Which requests go where",
  {
    ingressClassName: field(4, string, "Who serves it", pointer),
    defaultBackend: field(1, ref(ingressBackend), "Where requests go that no rule fits", pointer),
    tls: field(2, listOf(ref(ingressTLS)), "Hosts with certificates"),
    rules: field(3, listOf(ref(ingressRule)), "Which hosts and paths go where"),
  },
);

const ingressPortStatus: TypeSchema = type(
  "io.k8s.api.networking.v1.IngressPortStatus",
  "What was done for one port",
  {
    port: field(1, int32, "The number", required),
    protocol: field(2, protocol, "Transport that is spoken", required),
    error: field(3, string, "Why it failed, if it did", pointer),
  },
);

const ingressLoadBalancerIngress: TypeSchema = type(
  "io.k8s.api.networking.v1.IngressLoadBalancerIngress",
  "One place where traffic can enter",
  {
    ip: field(1, string, "Address, for balancers that have one"),
    hostname: field(2, string, "Name, for balancers that have one"),
    ports: field(4, listOf(ref(ingressPortStatus)), "What was done for each port"),
  },
);

const ingressLoadBalancerStatus: TypeSchema = type(
  "io.k8s.api.networking.v1.IngressLoadBalancerStatus",
  "What a balancer gave an ingress",
  {
    ingress: field(1, listOf(ref(ingressLoadBalancerIngress)), "Where traffic can enter"),
  },
);

const ingressStatus: TypeSchema = type(
  "io.k8s.api.networking.v1.IngressStatus",
  "What an ingress is",
  {
    loadBalancer: field(1, ref(ingressLoadBalancerStatus), "What the balancer gave it", always),
  },
);

export const ingress: TypeSchema = type(
  "io.k8s.api.networking.v1.Ingress",
  "Leads HTTP from outside to services",
  {
    ...typeMeta,
    metadata,
    spec: field(2, ref(ingressSpec), "What should be", always),
    status: field(3, ref(ingressStatus), "What is", always),
  },
);
