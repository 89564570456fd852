// What a Service is when nothing else is said. Addresses and node ports are not given out.

import type { Service, ServiceSpec } from "../types.ts";
import { isExternallyAccessible } from "../validation/service.ts";

/** Three hours. */
const affinitySeconds = 10_800;

/** Changes the object. */
export function setServiceDefaults({ spec, status }: Service): void {
  setSessionAffinity(spec);
  spec.type ||= "ClusterIP";
  setPorts(spec);
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ||= "Cluster";
  if (["ClusterIP", "NodePort", "LoadBalancer"].includes(spec.type)) {
    spec.internalTrafficPolicy ??= "Cluster";
  }
  if (spec.type === "LoadBalancer") setLoadBalancer({ spec, status });
}

function setPorts(spec: ServiceSpec): void {
  for (const port of spec.ports ?? []) {
    port.protocol ||= "TCP";
    if (port.targetPort === 0 || port.targetPort === "") port.targetPort = port.port;
  }
}

function setLoadBalancer({ spec, status }: Pick<Service, "spec" | "status">): void {
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of status.loadBalancer.ingress ?? []) {
    if ((ingress.ip ?? "") !== "") ingress.ipMode ??= "VIP";
  }
}

function setSessionAffinity(spec: ServiceSpec): void {
  spec.sessionAffinity ||= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== "ClientIP") return;
  if (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: affinitySeconds } };
  }
}
