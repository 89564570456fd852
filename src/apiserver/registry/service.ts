// Services. They are stored: clusterIP and node ports stay as the client sent them, none are given out.

import { setServiceDefaults } from "../../api/defaults/service.ts";
import type { Service, ServiceSpec } from "../../api/types.ts";
import { FieldPath } from "../../api/validation/field-path.ts";
import { cidrWarnings, ipWarnings } from "../../api/validation/ip-warnings.ts";
import {
  validateService,
  validateServiceStatusUpdate,
  validateServiceUpdate,
} from "../../api/validation/service.ts";
import { isHeadless } from "../../api/validation/service-ips.ts";
import { kindStrategy } from "./kind-strategy.ts";
import { dropDependentFields, keepAddresses, settleClusterIps } from "./service-addresses.ts";
import type { Strategy } from "./strategy.ts";

export const serviceStrategy: Strategy = kindStrategy<Service>("v1", "Service", {
  returnsDeleted: true,
  createsOnUpdate: true,
  fieldLabels: {
    "spec.clusterIP": ({ spec }) => spec.clusterIP ?? "",
    "spec.type": ({ spec }) => spec.type ?? "",
  },
  setDefaults: setServiceDefaults,
  prepareForCreate: ({ spec }) => settleClusterIps(spec, undefined),
  prepareForUpdate(service, { spec: old }) {
    const { spec } = service;
    keepAddresses(spec, old);
    settleClusterIps(spec, old);
    dropDependentFields(spec, old);
    if (spec.type !== "LoadBalancer") service.status = { ...service.status, loadBalancer: {} };
  },
  validate: validateService,
  validateUpdate: validateServiceUpdate,
  validateStatusUpdate: validateServiceStatusUpdate,
  warnings: ({ metadata, spec }) => [
    ...annotationWarnings(metadata.annotations ?? {}),
    ...addressWarnings(spec),
    ...ignoredWarnings(spec),
  ],
});

function annotationWarnings(annotations: { readonly [key: string]: string }): string[] {
  const old = "service.kubernetes.io/topology-aware-hints";
  if (annotations[old] === undefined) return [];
  const wanted = "service.kubernetes.io/topology-mode";
  return [`annotation ${old} is deprecated, please use ${wanted} instead`];
}

function addressWarnings(spec: ServiceSpec): string[] {
  const path = FieldPath.of("spec");
  const headless = isHeadless(spec);
  const { externalIPs = [], loadBalancerIP = "", type } = spec;
  const warnings = headless
    ? headlessWarnings(spec)
    : (spec.clusterIPs ?? []).flatMap((ip, i) => ipWarnings(path.child("clusterIPs").index(i), ip));
  for (const [i, ip] of externalIPs.entries()) {
    warnings.push(...ipWarnings(path.child("externalIPs").index(i), ip));
  }
  if (externalIPs.length > 0 && !headless && type !== "ExternalName") {
    warnings.push(
      "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    );
  }
  return [
    ...warnings,
    ...ipWarnings(path.child("loadBalancerIP"), loadBalancerIP),
    ...(spec.loadBalancerSourceRanges ?? []).flatMap((range, i) =>
      cidrWarnings(path.child("loadBalancerSourceRanges").index(i), range),
    ),
  ];
}

function headlessWarnings({ loadBalancerIP, externalIPs, sessionAffinity }: ServiceSpec): string[] {
  const ignored: string[] = [];
  if ((loadBalancerIP ?? "") !== "") ignored.push("loadBalancerIP");
  if ((externalIPs ?? []).length > 0) ignored.push("externalIPs");
  if (sessionAffinity !== "None") ignored.push("SessionAffinity");
  return ignored.map((field) => `spec.${field} is ignored for headless services`);
}

function ignoredWarnings(spec: ServiceSpec): string[] {
  const warnings: string[] = [];
  const isExternal = spec.type === "ExternalName";
  if (isExternal && (spec.externalIPs ?? []).length > 0) {
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (!isExternal && (spec.externalName ?? "") !== "") {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (spec.trafficDistribution === "PreferClose") {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  return warnings;
}
