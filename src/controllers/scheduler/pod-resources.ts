// What a pod asks for and what a node has to give, as plain numbers: thousandths of cores for cpu, whole units (bytes, pieces) for
// everything else. Whole numbers, so that a sum which pods are added to and taken from never drifts.

import { parseQuantity, QuantityError } from "../../api/quantity.ts";
import type { Container, PodSpec } from "../../api/types.ts";

/** By name of the resource; what is missing is 0. */
export type Resources = ReadonlyMap<string, number>;

type ResourceList = Readonly<Record<string, string>> | null | undefined;

/** No machine has a PiB of memory, and nobody gets one. Sums of a few of these are still exact. */
const MAX_AMOUNT = 2 ** 50;

/** What a container that asks for nothing is taken to use, for scores only: a hundred such pods are not nothing. */
const ASSUMED: Resources = new Map([
  ["cpu", 100],
  ["memory", 200 * 1024 * 1024],
]);

export function resourcesOf(list: ResourceList): Resources {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, amountOf(name, text)]));
}

/**
 * What it needs on its node: its containers and sidecars together, or the most that an init container needs together with the
 * sidecars started before it; what the pod as a whole asks for instead; and what running a pod costs by itself.
 */
export function podRequests(spec: PodSpec): Resources {
  return totalOf(spec, new Map());
}

/** The same with a guess for every container that does not say. */
export function guessedRequests(spec: PodSpec): Resources {
  return totalOf(spec, ASSUMED);
}

export function addTo(sum: Map<string, number>, added: Resources, times = 1): void {
  for (const [name, amount] of added) sum.set(name, (sum.get(name) ?? 0) + times * amount);
}

function totalOf(spec: PodSpec, assumed: Resources): Resources {
  const of = ({ resources }: Container): Resources =>
    new Map([...assumed, ...resourcesOf(resources?.requests)]);
  const running = new Map<string, number>();
  for (const container of spec.containers ?? []) addTo(running, of(container));

  const sidecars = new Map<string, number>();
  const starting = new Map<string, number>();
  for (const container of spec.initContainers ?? []) {
    const own = of(container);
    const current = new Map(sidecars);
    addTo(current, own);
    raiseTo(starting, current);
    if (!isSidecar(container)) continue;
    addTo(running, own);
    addTo(sidecars, own);
  }
  raiseTo(running, starting);

  for (const [name, amount] of resourcesOf(spec.resources?.requests)) running.set(name, amount);
  addTo(running, resourcesOf(spec.overhead));
  return running;
}

/** It runs as long as the pod does. */
export function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === "Always";
}

function raiseTo(sum: Map<string, number>, least: Resources): void {
  for (const [name, amount] of least) sum.set(name, Math.max(sum.get(name) ?? 0, amount));
}

/** A text that is no quantity, which no server accepts, asks for nothing: one bad pod must not stop all others. */
function amountOf(name: string, text: string): number {
  try {
    const quantity = parseQuantity(text);
    const amount = name === "cpu" ? quantity.milliValue() : quantity.value();
    return Math.min(Number(amount), MAX_AMOUNT);
  } catch (err) {
    if (err instanceof QuantityError) return 0;
    throw err;
  }
}
