// The class of service that follows from what a pod's containers ask for: who asks for exactly what it may have is
// guaranteed to have it.

import { parseQuantity } from "../quantity.ts";
import type { PodSpec, ResourceRequirements } from "../types.ts";
import { list } from "../validation/absent.ts";
import { isHugePages } from "../validation/resources.ts";

export type QosClass = "BestEffort" | "Burstable" | "Guaranteed";

export function qosClassOf(spec: PodSpec): QosClass {
  if (spec.resources !== undefined && coversPod(spec.resources)) return classOf(spec.resources);
  const containers = [...list(spec.initContainers), ...list(spec.containers)];
  return combined(containers.map(({ resources }) => classOf(resources)));
}

function coversPod({ requests, limits }: ResourceRequirements): boolean {
  return Object.keys({ ...requests, ...limits }).some(
    (name) => name === "cpu" || name === "memory" || isHugePages(name),
  );
}

function classOf(resources: ResourceRequirements): QosClass {
  return combined([classOfOne(resources, "cpu"), classOfOne(resources, "memory")]);
}

/** All alike, or something in between. */
function combined(classes: readonly QosClass[]): QosClass {
  const [first = "BestEffort"] = classes;
  return classes.every((one) => one === first) ? first : "Burstable";
}

function classOfOne({ requests, limits }: ResourceRequirements, name: string): QosClass {
  const limit = parseQuantity(limits?.[name] ?? "0");
  const request = parseQuantity(requests?.[name] ?? limits?.[name] ?? "0");
  if (limit.sign() === 0 && request.sign() === 0) return "BestEffort";
  return limit.sign() > 0 && request.compare(limit) === 0 ? "Guaranteed" : "Burstable";
}
