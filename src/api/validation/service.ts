// What a Service may look like. Nothing is allocated here: addresses and node ports are what the client sent, so that
// a health check port may be absent where the original server would have filled it in.

import type { LoadBalancerIngress, Service, ServicePort, ServiceSpec } from "../types.ts";
import { validateEndpointIp } from "./endpoint-ip.ts";
import { validateProtocol } from "./endpoints.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { parseIp, validateCidr, validateIp } from "./ip-address.ts";
import { validateLabels } from "./labels.ts";
import {
  dns1123Label,
  dns1123Subdomain,
  nameIsDnsLabel,
  portName,
  portNumber,
  qualifiedName,
} from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import {
  isHeadless,
  validateClusterIps,
  validateClusterIpsUpdate,
  validateIpFamiliesUpdate,
} from "./service-ips.ts";

const path = FieldPath.of("spec");
const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const affinities = ["ClientIP", "None"];
const trafficPolicies = ["Cluster", "Local"];
const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];
const ipModes = ["Proxy", "VIP"];
const maxAffinitySeconds = 86_400;
const hintsAnnotation = "service.kubernetes.io/topology-aware-hints";
const modeAnnotation = "service.kubernetes.io/topology-mode";
const rangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges";
const onlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'";

export function validateService(service: Service): FieldError[] {
  return [
    ...validateObjectMeta(service.metadata, { namespaced: true, name: nameIsDnsLabel }),
    ...validateFields(service, undefined),
  ];
}

export function validateServiceUpdate(service: Service, old: Service): FieldError[] {
  return [
    ...validateObjectMetaUpdate(service.metadata, old.metadata),
    ...validateClusterIpsUpdate(service.spec, old.spec),
    ...validateIpFamiliesUpdate(service.spec, old.spec),
    ...validateLoadBalancerClassUpdate(service.spec, old.spec),
    ...validateLoadBalancerClass(service.spec),
    ...validateHealthPortUpdate(service.spec, old.spec),
    ...validateFields(service, old),
  ];
}

export function validateServiceStatusUpdate(service: Service, old: Service): FieldError[] {
  const at = FieldPath.of("status", "loadBalancer", "ingress");
  const ingress = service.status.loadBalancer.ingress ?? [];
  const errors = validateObjectMetaUpdate(service.metadata, old.metadata);
  if (service.spec.type !== "LoadBalancer") {
    if (ingress.length === 0) return errors;
    return [...errors, forbidden(at, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  const known = (old.status.loadBalancer.ingress ?? []).map(({ ip = "" }) => ip);
  return [
    ...errors,
    ...ingress.flatMap((point, i) => validateIngressPoint(point, known, at.index(i))),
  ];
}

/** Whether it can be reached from outside the cluster. */
export function isExternallyAccessible({ type, externalIPs }: ServiceSpec): boolean {
  if (type === "LoadBalancer" || type === "NodePort") return true;
  return type === "ClusterIP" && (externalIPs ?? []).length > 0;
}

/** Load balancers ask a port of the node whether it has endpoints. */
export function needsHealthPort({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === "LoadBalancer" && externalTrafficPolicy === "Local";
}

function validateFields(service: Service, old: Service | undefined): FieldError[] {
  const { spec } = service;
  const ports = spec.ports ?? [];
  const names = new Set<string>();
  return [
    ...validateTopologyAnnotations(service),
    ...validateType(spec),
    ...ports.flatMap((port, i) =>
      validatePort(port, { names, required: ports.length > 1 }, path.child("ports").index(i)),
    ),
    ...validateLabels(spec.selector, path.child("selector")),
    ...validateSessionAffinity(spec),
    ...validateClusterIps(spec, old?.spec),
    ...validateExternalIps(spec, old?.spec.externalIPs ?? []),
    ...validateOneOf(spec.type ?? "", types, path.child("type")),
    ...validatePortUse(spec),
    ...validateSourceRanges(service, old),
    ...validateLoadBalancerFields(spec),
    ...validateLoadBalancerClass(spec),
    ...validateTraffic(spec),
  ];
}

function validateTopologyAnnotations({ metadata }: Service): FieldError[] {
  const { [hintsAnnotation]: hints, [modeAnnotation]: mode } = metadata.annotations ?? {};
  if (hints === undefined || mode === undefined || hints === mode) return [];
  const at = FieldPath.of("metadata", "annotations").key(modeAnnotation);
  const text = `must match annotations[${hintsAnnotation}] when both are specified`;
  return [invalid(at, mode, text)];
}

function validateType(spec: ServiceSpec): FieldError[] {
  const { type = "", ports } = spec;
  if (type === "ExternalName") return validateExternalName(spec);
  const errors: FieldError[] = [];
  if ((ports ?? []).length === 0 && !isHeadless(spec)) errors.push(required(path.child("ports")));
  if (isHeadless(spec) && (type === "LoadBalancer" || type === "NodePort")) {
    const text = `may not be set to 'None' for ${type} services`;
    errors.push(invalid(path.child("clusterIPs").index(0), "None", text));
  }
  return errors;
}

function validateExternalName(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ["clusterIPs", "ipFamilies", "ipFamilyPolicy"] as const) {
    if ((spec[field] ?? []).length > 0) {
      errors.push(forbidden(path.child(field), "may not be set for ExternalName services"));
    }
  }
  const name = (spec.externalName ?? "").replace(/\.$/, "");
  const at = path.child("externalName");
  if (name === "") return [...errors, required(at)];
  return [...errors, ...dns1123Subdomain(name).map((text) => invalid(at, name, text))];
}

function validatePort(
  { name = "", port, protocol = "", targetPort, appProtocol }: ServicePort,
  among: { readonly names: Set<string>; readonly required: boolean },
  at: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (name !== "") {
    errors.push(...dns1123Label(name).map((text) => invalid(at.child("name"), name, text)));
    if (among.names.has(name)) errors.push(duplicate(at.child("name"), name));
    among.names.add(name);
  } else if (among.required) errors.push(required(at.child("name")));
  errors.push(...portNumber(port).map((text) => invalid(at.child("port"), port, text)));
  errors.push(...validateProtocol(protocol, at.child("protocol")));
  const targetErrors =
    typeof targetPort === "number" ? portNumber(targetPort) : portName(targetPort);
  errors.push(...targetErrors.map((text) => invalid(at.child("targetPort"), targetPort, text)));
  if (appProtocol === undefined) return errors;
  const of = at.child("appProtocol");
  return [...errors, ...qualifiedName(appProtocol).map((text) => invalid(of, appProtocol, text))];
}

function validateSessionAffinity(spec: ServiceSpec): FieldError[] {
  const { sessionAffinity = "", sessionAffinityConfig: config } = spec;
  const errors = validateOneOf(sessionAffinity, affinities, path.child("sessionAffinity"));
  const at = path.child("sessionAffinityConfig");
  if (sessionAffinity === "None" && config !== undefined) {
    errors.push(forbidden(at, "must not be set when session affinity is None"));
  }
  if (sessionAffinity !== "ClientIP") return errors;
  const text = "when session affinity type is ClientIP";
  if (config === undefined) return [...errors, required(at, text)];
  if (config.clientIP === undefined) return [...errors, required(at.child("clientIP"), text)];
  const seconds = config.clientIP.timeoutSeconds;
  const of = at.child("clientIP", "timeoutSeconds");
  if (seconds === undefined) return [...errors, required(of, text)];
  if (seconds > 0 && seconds <= maxAffinitySeconds) return errors;
  const why = `must be greater than 0 and less than ${maxAffinitySeconds}`;
  return [...errors, invalid(of, seconds, why)];
}

function validateExternalIps(spec: ServiceSpec, known: readonly string[]): FieldError[] {
  return (spec.externalIPs ?? []).flatMap((ip, i) => {
    const at = path.child("externalIPs").index(i);
    const errors = validateIp(at, ip, known);
    return errors.length > 0 ? errors : validateEndpointIp(at, ip);
  });
}

function validatePortUse({ type, ports }: ServiceSpec): FieldError[] {
  const all = (ports ?? []).map((port, i) => ({ port, at: path.child("ports").index(i) }));
  const onNodes = all.filter(({ port }) => (port.nodePort ?? 0) !== 0);
  const misused = type === "ClusterIP" ? onNodes : [];
  const nodePortKeys = onNodes.map(({ port }) => `${port.protocol ?? ""} ${port.nodePort ?? 0}`);
  const keys = all.map(({ port }) => `${port.protocol ?? ""} ${port.port}`);
  return [
    ...misused.map(({ at }) =>
      forbidden(at.child("nodePort"), "may not be used when `type` is 'ClusterIP'"),
    ),
    ...onNodes
      .filter((_, i) => nodePortKeys.indexOf(nodePortKeys[i] ?? "") < i)
      .map(({ port, at }) => duplicate(at.child("nodePort"), port.nodePort)),
    ...all
      .filter((_, i) => keys.indexOf(keys[i] ?? "") < i)
      .map(({ port, at }) => duplicate(at, shownPort(port))),
  ];
}

/** Protocol and port, in the form that the API has inside, which its message shows. */
function shownPort({ protocol = "", port }: ServicePort): {
  [field: string]: string | number | null;
} {
  return {
    Name: "",
    Protocol: protocol,
    AppProtocol: null,
    Port: port,
    TargetPort: 0,
    NodePort: 0,
  };
}

function validateSourceRanges(service: Service, old: Service | undefined): FieldError[] {
  const { loadBalancerSourceRanges: ranges, type } = service.spec;
  if (ranges === undefined || ranges.length === 0) return validateRangesAnnotation(service, old);
  // The spelling of the path is the API's.
  const at = path.child("LoadBalancerSourceRanges");
  const known = (old?.spec.loadBalancerSourceRanges ?? []).map((range) => range.trim());
  return [
    ...(type === "LoadBalancer" ? [] : [forbidden(at, onlyLoadBalancer)]),
    ...ranges.flatMap((range, i) => validateCidr(at.index(i), range.trim(), known)),
  ];
}

function validateRangesAnnotation(service: Service, old: Service | undefined): FieldError[] {
  const text = service.metadata.annotations?.[rangesAnnotation];
  if (text === undefined) return [];
  const at = FieldPath.of("metadata", "annotations").key(rangesAnnotation);
  const errors = service.spec.type === "LoadBalancer" ? [] : [forbidden(at, onlyLoadBalancer)];
  const same = old?.metadata.annotations?.[rangesAnnotation] === text;
  if (same || text.trim() === "") return errors;
  return [...errors, ...text.split(",").flatMap((range) => validateCidr(at, range.trim()))];
}

function validateLoadBalancerFields(spec: ServiceSpec): FieldError[] {
  const { type, allocateLoadBalancerNodePorts: allocate } = spec;
  if (type === "LoadBalancer") {
    return allocate === undefined ? [required(FieldPath.of("allocateLoadBalancerNodePorts"))] : [];
  }
  if (allocate === undefined) return [];
  return [forbidden(path.child("allocateLoadBalancerNodePorts"), onlyLoadBalancer)];
}

function validateLoadBalancerClass({ type, loadBalancerClass }: ServiceSpec): FieldError[] {
  const at = path.child("loadBalancerClass");
  if (loadBalancerClass === undefined) return [];
  if (type !== "LoadBalancer") return [forbidden(at, onlyLoadBalancer)];
  return qualifiedName(loadBalancerClass).map((text) => invalid(at, loadBalancerClass, text));
}

function validateLoadBalancerClassUpdate(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (spec.type !== "LoadBalancer" || old.type !== "LoadBalancer") return [];
  if (spec.loadBalancerClass === old.loadBalancerClass) return [];
  const at = path.child("loadBalancerClass");
  return [invalid(at, spec.loadBalancerClass, "may not change once set")];
}

function validateHealthPortUpdate(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (!needsHealthPort(spec) || !needsHealthPort(old)) return [];
  if (spec.healthCheckNodePort === old.healthCheckNodePort) return [];
  return [forbidden(path.child("healthCheckNodePort"), "field is immutable")];
}

function validateTraffic(spec: ServiceSpec): FieldError[] {
  const { type = "", internalTrafficPolicy: internal, trafficDistribution: distribution } = spec;
  const errors = [...validateExternalTraffic(spec), ...validateHealthPort(spec)];
  const at = path.child("internalTrafficPolicy");
  if (internal !== undefined || ["NodePort", "LoadBalancer", "ClusterIP"].includes(type)) {
    errors.push(...validateOneOf(internal ?? "", trafficPolicies, at));
  }
  if (distribution !== undefined && !distributions.includes(distribution)) {
    errors.push(notSupported(path.child("trafficDistribution"), distribution, distributions));
  }
  return errors;
}

function validateExternalTraffic(spec: ServiceSpec): FieldError[] {
  const { externalTrafficPolicy: policy = "" } = spec;
  const at = path.child("externalTrafficPolicy");
  if (isExternallyAccessible(spec)) return validateOneOf(policy, trafficPolicies, at);
  if (policy === "") return [];
  return [invalid(at, policy, "may only be set for externally-accessible services")];
}

function validateHealthPort(spec: ServiceSpec): FieldError[] {
  const { healthCheckNodePort: port = 0 } = spec;
  const at = path.child("healthCheckNodePort");
  if (port === 0) return [];
  if (needsHealthPort(spec)) return portNumber(port).map((text) => invalid(at, port, text));
  const text =
    "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [invalid(at, port, text)];
}

function validateOneOf(word: string, words: readonly string[], at: FieldPath): FieldError[] {
  if (word === "") return [required(at)];
  return words.includes(word) ? [] : [notSupported(at, word, words)];
}

function validateIngressPoint(
  point: LoadBalancerIngress,
  known: readonly string[],
  at: FieldPath,
): FieldError[] {
  const { ip = "", hostname = "", ipMode } = point;
  const errors = ip === "" ? [] : validateIp(at.child("ip"), ip, known);
  const of = at.child("ipMode");
  if (ipMode === undefined) {
    if (ip !== "") errors.push(required(of, "must be specified when `ip` is set"));
  } else if (ip === "") errors.push(forbidden(of, "may not be specified when `ip` is not set"));
  else if (!ipModes.includes(ipMode)) errors.push(notSupported(of, ipMode, ipModes));
  return [...errors, ...validateHostname(hostname, at.child("hostname"))];
}

/** The name under which a load balancer is reached; also of an Ingress. */
export function validateHostname(hostname: string, at: FieldPath): FieldError[] {
  if (hostname === "") return [];
  const errors = dns1123Subdomain(hostname).map((text) => invalid(at, hostname, text));
  if (parseIp(hostname) === undefined) return errors;
  return [...errors, invalid(at, hostname, "must be a DNS name, not an IP address")];
}
