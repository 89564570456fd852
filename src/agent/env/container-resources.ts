// What a container's cgroup is to hold it to, from what it and its pod ask for. The rules, and the numbers for who is killed first when
// the machine runs out of memory, are the kubelet's.

import { qosClassOf } from "../../api/defaults/pod-qos.ts";
import { parseQuantity } from "../../api/quantity.ts";
import type { Pod, ResourceRequirements } from "../../api/types.ts";
import type { ContainerResources } from "../../runtime/runtime.ts";
import type { AnyContainer } from "../all-containers.ts";

export interface ResourceSources {
  readonly pod: Pod;
  readonly container: AnyContainer;
  /** Of the machine, in bytes. */
  readonly memoryCapacity: number;
  readonly pidsLimit: number | undefined;
}

const GUARANTEED = -997;
const BEST_EFFORT = 1000;

export function containerResources(sources: ResourceSources): ContainerResources {
  const { pod, container, pidsLimit } = sources;
  const own = container.resources ?? {};
  const ofPod = pod.spec.resources;
  const limit = (name: string): number =>
    amount(own, "limits", name) || amount(ofPod, "limits", name);
  const hasCpuRequest = own.requests?.["cpu"] !== undefined;
  const milliCpuLimit = limit("cpu");
  return {
    memoryLimitBytes: limit("memory") || undefined,
    // Who says only how much it may have asks for as much.
    milliCpuRequest: hasCpuRequest ? amount(own, "requests", "cpu") : milliCpuLimit,
    milliCpuLimit: milliCpuLimit || undefined,
    pidsLimit,
    oomScoreAdjust: oomScoreAdjust(sources),
  };
}

/** In thousandths of a processor, or bytes; 0 if nothing is said. */
function amount(
  resources: ResourceRequirements | undefined,
  list: "limits" | "requests",
  name: string,
): number {
  const text = resources?.[list]?.[name];
  if (text === undefined || text === "") return 0;
  const quantity = parseQuantity(text);
  return Number(name === "cpu" ? quantity.milliValue() : quantity.value());
}

function oomScoreAdjust(sources: ResourceSources): number {
  const { spec } = sources.pod;
  if (spec.priorityClassName === "system-node-critical") return GUARANTEED;
  switch (qosClassOf(spec)) {
    case "Guaranteed":
      return GUARANTEED;
    case "BestEffort":
      return BEST_EFFORT;
    case "Burstable":
      return burstable(sources);
  }
}

/** The more of the machine's memory it asked for, the later it is killed; between the two other classes in any case. */
function burstable({ pod, container, memoryCapacity }: ResourceSources): number {
  const containers = [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])];
  const spare = spareRequest(pod, containers.length);
  const requestOf = ({ resources }: Pick<AnyContainer, "resources">): number =>
    amount(resources, "requests", "memory");
  const score = (request: number): number =>
    1000 - Math.floor((1000 * (request + spare)) / memoryCapacity);
  const own = score(requestOf(container));
  // A sidecar is not killed before those that it serves.
  const served = isSidecar(pod, container)
    ? score(Math.min(...(pod.spec.containers ?? []).map(requestOf)))
    : own;
  const lowest = 1000 + GUARANTEED;
  return Math.max(lowest, Math.min(own, served, BEST_EFFORT - 1));
}

/** What the pod asks for beyond its containers, shared out among them. */
function spareRequest(pod: Pod, count: number): number {
  const { resources, containers, initContainers } = pod.spec;
  const ofPod = amount(resources, "requests", "memory");
  if (ofPod === 0 || count === 0) return 0;
  const all = [
    ...(containers ?? []),
    ...(initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always"),
  ];
  const asked = all.reduce((sum, one) => sum + amount(one.resources, "requests", "memory"), 0);
  return Math.max(0, Math.floor((ofPod - asked) / count));
}

function isSidecar(pod: Pod, container: AnyContainer): boolean {
  return (pod.spec.initContainers ?? []).some(
    ({ name, restartPolicy }) => name === container.name && restartPolicy === "Always",
  );
}
