// What a pod as a whole asks for: its containers run together, its init containers one after another before them, and
// sidecars from their turn on.

import { parseQuantity, type Quantity } from "../../api/quantity.ts";
import type { Container, PodSpec } from "../../api/types.ts";
import { list } from "../../api/validation/absent.ts";
import type { Asked } from "./limit-rules.ts";

type Sums = Map<string, Quantity>;
/** Of which a pod can say how much it needs in all. */
const ofPods: readonly string[] = ["cpu", "memory"];

export function podResources(spec: PodSpec): Asked {
  return { requests: total(spec, "requests"), limits: total(spec, "limits") };
}

function total(spec: PodSpec, field: "requests" | "limits"): { [name: string]: string } {
  const sum: Sums = new Map();
  for (const container of list(spec.containers)) add(sum, amountsOf(container, field));
  const sidecars: Sums = new Map();
  const peak: Sums = new Map();
  for (const container of list(spec.initContainers)) {
    const own = amountsOf(container, field);
    const together: Sums = new Map(sidecars);
    add(together, own);
    raise(peak, together);
    if (container.restartPolicy !== "Always") continue;
    add(sum, own);
    add(sidecars, own);
  }
  raise(sum, peak);
  for (const [name, amount] of Object.entries(spec.resources?.[field] ?? {})) {
    if (ofPods.includes(name)) sum.set(name, parseQuantity(amount));
  }
  return Object.fromEntries(Array.from(sum, ([name, amount]) => [name, amount.canonical()]));
}

function amountsOf({ resources }: Container, field: "requests" | "limits"): Sums {
  const entries = Object.entries(resources[field] ?? {});
  return new Map(entries.map(([name, amount]) => [name, parseQuantity(amount)]));
}

function add(sum: Sums, amounts: Sums): void {
  for (const [name, amount] of amounts) sum.set(name, sum.get(name)?.add(amount) ?? amount);
}

function raise(most: Sums, amounts: Sums): void {
  for (const [name, amount] of amounts) {
    const known = most.get(name);
    if (known === undefined || amount.compare(known) > 0) most.set(name, amount);
  }
}
