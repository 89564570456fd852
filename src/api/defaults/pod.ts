// The defaults of a pod that a template does not have.

import type { Container, Pod, PodStatus } from "../types.ts";
import { setPodSpecDefaults } from "./pod-spec.ts";

/** Changes the pod. */
export function setPodDefaults(pod: Pod): void {
  const { spec } = pod;
  // Negative times were allowed once; they meant the shortest time there is.
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  spec.enableServiceLinks ??= true;
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  for (const container of containers) {
    setRequests(container);
    if (spec.hostNetwork === true) setHostPorts(container);
  }
  setPodSpecDefaults(spec);
  setAddresses(pod.status);
}

/** Who has a limit asks for as much, unless something else is said. */
function setRequests({ resources }: Container): void {
  if (resources.limits === undefined) return;
  resources.requests = { ...resources.limits, ...resources.requests };
}

function setHostPorts({ ports }: Container): void {
  for (const port of ports ?? []) {
    if (port.containerPort !== 0) port.hostPort ||= port.containerPort;
  }
}

/** The one address and the list of addresses say the same; the one address wins. */
function setAddresses(status: PodStatus): void {
  const first = status.podIPs?.[0]?.ip ?? "";
  if ((status.podIP ?? "") === "") {
    if (first !== "") status.podIP = first;
  } else if (first !== status.podIP) {
    status.podIPs = [{ ip: status.podIP ?? "" }];
  }
}
