// How large a volume in memory may grow: to what the node gives to pods, the pod may use, and the volume itself wants, whichever is
// least.

import { parseQuantity } from "../../../api/quantity.ts";
import type { Pod, ResourceRequirements } from "../../../api/types.ts";

/** In bytes. Undefined: nobody says anything, and the kernel's own limit is left. */
export function memorySize(of: {
  readonly pod: Pod;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly sizeLimit?: string | undefined;
}): number | undefined {
  const limits = [bytesOf(of.allocatable["memory"]), podMemoryLimit(of.pod), bytesOf(of.sizeLimit)];
  const given = limits.filter((bytes) => bytes > 0n);
  const [least] = given.toSorted((a, b) => (a < b ? -1 : 1));
  return least === undefined ? undefined : Number(least);
}

/** 0 if a container has none: then the pod as a whole has none either. */
function podMemoryLimit({ spec }: Pod): bigint {
  const ofPod = limitOf(spec.resources);
  const total = ofPod > 0n ? ofPod : limitOfContainers(spec);
  return total > 0n ? total + bytesOf(spec.overhead?.["memory"]) : 0n;
}

/** Init containers run one after the other, those that stay beside all that come later. */
function limitOfContainers({ containers, initContainers }: Pod["spec"]): bigint {
  const all = [...(initContainers ?? []), ...(containers ?? [])];
  if (all.some(({ resources }) => limitOf(resources) === 0n)) return 0n;
  let staying = 0n;
  let peak = 0n;
  for (const { resources, restartPolicy } of initContainers ?? []) {
    const own = limitOf(resources);
    if (restartPolicy === "Always") staying += own;
    peak = larger(peak, restartPolicy === "Always" ? staying : staying + own);
  }
  const running = (containers ?? []).reduce((sum, { resources }) => sum + limitOf(resources), 0n);
  return larger(peak, staying + running);
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function limitOf(resources: ResourceRequirements | undefined): bigint {
  return bytesOf(resources?.limits?.["memory"]);
}

function bytesOf(quantity: string | undefined): bigint {
  return quantity === undefined || quantity === "" ? 0n : parseQuantity(quantity).value();
}
