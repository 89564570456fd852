// Tables of what leads to pods.

import type {
  EndpointSlice,
  Endpoints,
  Ingress,
  LoadBalancerIngress,
  NetworkPolicy,
  Service,
} from "../types.ts";
import { firstThree, labelsText, none, orNone, selectorText, unset } from "./cell-texts.ts";
import { serviceTexts } from "./column-texts.ts";
import {
  ageColumn,
  column,
  nameColumn,
  type TableDefinition,
  tableOfColumns,
} from "./table-column.ts";

export const serviceTable: TableDefinition<Service> = tableOfColumns<Service>(
  nameColumn(),
  column("Type", serviceTexts.type, ({ spec }) => spec?.type ?? ""),
  column("Cluster-IP", serviceTexts.clusterIp, ({ spec }) => spec?.clusterIPs?.[0] ?? none),
  column("External-IP", serviceTexts.externalIp, externalAddresses),
  column("Port(s)", serviceTexts.ports, portsText),
  ageColumn(),
  column("Selector", serviceTexts.selector, ({ spec }) => labelsText(spec?.selector), {
    wide: true,
  }),
);

export const endpointsTable: TableDefinition<Endpoints> = tableOfColumns<Endpoints>(
  nameColumn(),
  column("Endpoints", "Addresses and ports that are ready", endpointsText),
  ageColumn(),
);

export const endpointSliceTable: TableDefinition<EndpointSlice> = tableOfColumns<EndpointSlice>(
  nameColumn(),
  column("AddressType", "What the addresses are", ({ addressType }) => addressType ?? ""),
  column("Ports", "Ports of every endpoint", slicePortsText),
  column("Endpoints", "Addresses of the endpoints", sliceAddressesText),
  ageColumn(),
);

export const ingressTable: TableDefinition<Ingress> = tableOfColumns<Ingress>(
  nameColumn(),
  column("Class", "The IngressClass that serves it", ({ spec }) => spec?.ingressClassName ?? none),
  column("Hosts", "Hosts whose requests it takes", hostsText),
  column("Address", "Where the load balancer is reached", ({ status }) =>
    balancerAddresses(status?.loadBalancer),
  ),
  column("Ports", "443 as well if there is TLS", ({ spec }) =>
    (spec?.tls?.length ?? 0) > 0 ? "80, 443" : "80",
  ),
  ageColumn(),
);

export const networkPolicyTable: TableDefinition<NetworkPolicy> = tableOfColumns<NetworkPolicy>(
  nameColumn(),
  column("Pod-Selector", "Labels of the pods; all if empty", ({ spec }) =>
    selectorText(spec?.podSelector),
  ),
  ageColumn(),
);

function externalAddresses({ spec, status }: Service): string {
  const external = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case "ClusterIP":
    case "NodePort":
      return orNone(external.join(","));
    case "LoadBalancer": {
      const balancer = balancerAddresses(status?.loadBalancer);
      const all = [...(balancer === "" ? [] : [balancer]), ...external].join(",");
      return all === "" ? "<pending>" : all;
    }
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

/** Each once, sorted; the address rather than the name. */
function balancerAddresses(
  balancer:
    | { readonly ingress?: readonly Pick<LoadBalancerIngress, "hostname" | "ip">[] | undefined }
    | undefined,
): string {
  const addresses = (balancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
  return [...new Set(addresses.filter((address) => address !== ""))].sort().join(",");
}

/** "80/TCP,443:30443/TCP" */
function portsText({ spec }: Service): string {
  const ports = (spec?.ports ?? []).map(({ port, nodePort = 0, protocol = "" }) =>
    nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return orNone(ports.join(","));
}

function endpointsText({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return none;
  const all = subsets.flatMap(({ addresses = [], ports = [] }) => {
    const ips = addresses.map(({ ip }) => ip);
    // A headless Service may have no ports.
    if (ports.length === 0) return ips;
    return ports.flatMap(({ port }) => ips.map((ip) => `${hostText(ip)}:${port}`));
  });
  return firstThree(all);
}

function hostText(ip: string): string {
  return ip.includes(":") ? `[${ip}]` : ip;
}

function slicePortsText({ ports }: EndpointSlice): string {
  const shown = (ports ?? []).map(({ port, name }) => String(port ?? name ?? "*"));
  return firstThree(shown) || unset;
}

function sliceAddressesText({ endpoints }: EndpointSlice): string {
  return firstThree((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])) || unset;
}

/** Rules without a host count for how many more there are, as in the API. */
function hostsText({ spec }: Ingress): string {
  const rules = spec?.rules ?? [];
  const hosts: string[] = [];
  for (const { host = "" } of rules) {
    if (hosts.length === 3) return `${hosts.join(",")} + ${rules.length - 3} more...`;
    if (host !== "") hosts.push(host);
  }
  return hosts.length === 0 ? "*" : hosts.join(",");
}
