// Addresses and node ports of a Service in an update. Clients leave out what they did not ask for, and mean that it
// stays; and when a Service becomes one of another type, what belonged to the old type goes.

import type { ServiceSpec } from "../../api/types.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import { isExternallyAccessible, needsHealthPort } from "../../api/validation/service.ts";

/** Fields that belong to certain types of Service. They go when the type goes, unless the client changes them. */
const dependentFields: readonly {
  readonly field: keyof ServiceSpec;
  readonly belongs: (spec: ServiceSpec) => boolean;
}[] = [
  { field: "clusterIP", belongs: isInside },
  { field: "clusterIPs", belongs: isInside },
  { field: "ipFamilies", belongs: isInside },
  { field: "ipFamilyPolicy", belongs: isInside },
  { field: "healthCheckNodePort", belongs: needsHealthPort },
  { field: "allocateLoadBalancerNodePorts", belongs: ({ type }) => type === "LoadBalancer" },
  { field: "loadBalancerClass", belongs: ({ type }) => type === "LoadBalancer" },
  { field: "externalTrafficPolicy", belongs: isExternallyAccessible },
];

/** Fills in what the client left out and the old one has. Changes the spec. */
export function keepAddresses(spec: ServiceSpec, old: ServiceSpec): void {
  if (isInside(spec) && isInside(old)) {
    spec.clusterIP ??= old.clusterIP;
    spec.clusterIPs ??= old.clusterIPs;
  }
  if (isOnNodes(spec) && isOnNodes(old)) keepNodePorts(spec, old);
  if (needsHealthPort(spec) && needsHealthPort(old)) {
    spec.healthCheckNodePort ??= old.healthCheckNodePort;
  }
}

/** The first of the addresses and `clusterIP` are one thing; old clients know the latter only. Changes the spec. */
export function settleClusterIps(spec: ServiceSpec, old: ServiceSpec | undefined): void {
  const { clusterIP = "", clusterIPs } = spec;
  if (old === undefined) {
    if (clusterIP !== "" && clusterIPs === undefined) spec.clusterIPs = [clusterIP];
    return;
  }
  const onlySingular =
    clusterIP !== (old.clusterIP ?? "") && semanticEqual(clusterIPs, old.clusterIPs);
  if (!onlySingular) return;
  if (clusterIP === "") delete spec.clusterIPs;
  else spec.clusterIPs = [clusterIP];
}

/** Takes away what belonged to the old type, unless the client changes it. Changes the spec. */
export function dropDependentFields(spec: ServiceSpec, old: ServiceSpec): void {
  for (const { field, belongs } of dependentFields) {
    const leaves = belongs(old) && !belongs(spec);
    if (leaves && semanticEqual(spec[field], old[field])) delete spec[field];
  }
  if (!isOnNodes(old) || isOnNodes(spec)) return;
  const known = nodePortsOf(old);
  if ([...nodePortsOf(spec)].some((nodePort) => !known.has(nodePort))) return;
  for (const port of spec.ports ?? []) delete port.nodePort;
}

function isInside({ type }: ServiceSpec): boolean {
  return type !== "ExternalName";
}

function isOnNodes({ type }: ServiceSpec): boolean {
  return type === "NodePort" || type === "LoadBalancer";
}

function keepNodePorts(spec: ServiceSpec, old: ServiceSpec): void {
  const used = nodePortsOf(spec);
  const byName = new Map((old.ports ?? []).map(({ name = "", nodePort }) => [name, nodePort]));
  for (const port of spec.ports ?? []) {
    const nodePort = byName.get(port.name ?? "");
    if ((port.nodePort ?? 0) === 0 && nodePort !== undefined && !used.has(nodePort)) {
      port.nodePort = nodePort;
    }
  }
}

function nodePortsOf({ ports }: ServiceSpec): ReadonlySet<number> {
  return new Set((ports ?? []).map(({ nodePort = 0 }) => nodePort).filter((port) => port !== 0));
}
