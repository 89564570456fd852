// The variables that tell a container where services are, as in the days before DNS.

import { isIPv6 } from "node:net";
import type { Service, ServicePort } from "../../api/types.ts";
import { compareUtf8 } from "../../base/content-version.ts";

/** In the namespace "default". Every pod hears of it. */
const API_SERVICE = "kubernetes";

/** In the order of the services' names. Services without an address have no variables. */
export function serviceVariables(of: {
  readonly services: readonly Service[];
  /** The pod's. */
  readonly namespace: string;
  /** Whether the services of that namespace count. */
  readonly enableServiceLinks: boolean;
}): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const service of visibleServices(of)) addVariables(service, variables);
  return variables;
}

/** If nobody has made the Service by which pods find the API, they find it where the agent does: they share its network. */
export function withApiService(services: readonly Service[], server: string): readonly Service[] {
  const isKnown = services.some(
    (one) =>
      one.metadata.namespace === "default" && one.metadata.name === API_SERVICE && hasAddress(one),
  );
  return isKnown ? services : [...services, apiService(server)];
}

function apiService(server: string): Service {
  const { hostname, port, protocol } = new URL(server);
  const number = Number(port) || (protocol === "http:" ? 80 : 443);
  return {
    metadata: { namespace: "default", name: API_SERVICE },
    spec: {
      clusterIP: hostname.replace(/^\[(.*)\]$/, "$1"),
      ports: [{ name: "https", port: number, targetPort: number }],
    },
    status: { loadBalancer: {} },
  };
}

function visibleServices(of: Parameters<typeof serviceVariables>[0]): readonly Service[] {
  const { services, namespace, enableServiceLinks } = of;
  const byName = new Map<string, Service>();
  for (const service of services) {
    const { name = "", namespace: home } = service.metadata;
    if (!hasAddress(service)) continue;
    if (home === namespace && enableServiceLinks) byName.set(name, service);
    else if (home === "default" && name === API_SERVICE && !byName.has(name)) {
      byName.set(name, service);
    }
  }
  return [...byName].toSorted(([a], [b]) => compareUtf8(a, b)).map(([, service]) => service);
}

function hasAddress({ spec: { clusterIP, ports } }: Service): boolean {
  return clusterIP !== undefined && clusterIP !== "" && clusterIP !== "None" && !!ports?.length;
}

function addVariables({ metadata, spec }: Service, variables: Map<string, string>): void {
  const { clusterIP: address = "", ports = [] } = spec;
  const prefix = variableName(metadata.name ?? "");
  variables.set(`${prefix}_SERVICE_HOST`, address);
  variables.set(`${prefix}_SERVICE_PORT`, String(ports[0]?.port));
  for (const { name, port } of ports) {
    if (name) variables.set(`${prefix}_SERVICE_PORT_${variableName(name)}`, String(port));
  }
  for (const [index, port] of ports.entries()) {
    const protocol = (port.protocol || "TCP").toLowerCase();
    const link = linkTo(address, port, protocol);
    if (index === 0) variables.set(`${prefix}_PORT`, link);
    const portPrefix = `${prefix}_PORT_${port.port}_${protocol.toUpperCase()}`;
    variables.set(portPrefix, link);
    variables.set(`${portPrefix}_PROTO`, protocol);
    variables.set(`${portPrefix}_PORT`, String(port.port));
    variables.set(`${portPrefix}_ADDR`, address);
  }
}

function linkTo(address: string, { port }: ServicePort, protocol: string): string {
  return `${protocol}://${isIPv6(address) ? `[${address}]` : address}:${port}`;
}

function variableName(name: string): string {
  return name.replaceAll("-", "_").toUpperCase();
}
