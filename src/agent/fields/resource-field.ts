// What a container asks for and may use, as a number for its own files and environment. Exact, where the original goes through floating
// point, and always rounded up.

import { parseQuantity, type Quantity } from "../../api/quantity.ts";
import type { Pod, ResourceRequirements } from "../../api/types.ts";

type ResourceList = Readonly<Record<string, string>>;

/** A limit that nobody set is what the node has: the container can use that much. Huge pages are never given away twice. */
const defaulted: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

/** Throws with the original's text. Containers and init containers are looked for, as in the original. */
export function resourceFieldValue(of: {
  readonly pod: Pod;
  readonly containerName: string;
  /** "limits.cpu" */
  readonly resource: string;
  readonly divisor: string | undefined;
  /** Stands in for limits that are not set or zero. */
  readonly allocatable: ResourceList;
}): string {
  const { containers, initContainers } = of.pod.spec;
  const container = [...(containers ?? []), ...(initContainers ?? [])].find(
    ({ name }) => name === of.containerName,
  );
  if (!container) throw new Error(`container ${of.containerName} not found`);
  return containerResourceValue({ ...of, resources: container.resources });
}

/** Of a container that is known already, of whatever kind. */
export function containerResourceValue(of: {
  readonly resources: ResourceRequirements | undefined;
  readonly resource: string;
  readonly divisor: string | undefined;
  readonly allocatable: ResourceList;
}): string {
  const { resources, resource } = of;
  const dot = resource.indexOf(".");
  const list = resource.slice(0, dot);
  const name = resource.slice(dot + 1);
  if ((list !== "limits" && list !== "requests") || !isSupported(name)) {
    throw new Error(`unsupported container resource : ${resource}`);
  }
  const own = amount(resources?.[list]?.[name]);
  const isDefaulted = list === "limits" && own.sign() === 0 && defaulted.has(name);
  const quantity = isDefaulted ? amount(of.allocatable[name]) : own;
  const divisor = amount(of.divisor);
  const unit = divisor.sign() === 0 ? parseQuantity("1") : divisor;
  return name === "cpu"
    ? String(dividedUp(quantity.milliValue(), unit.milliValue()))
    : String(dividedUp(quantity.value(), unit.value()));
}

/** What the environment of a pod's containers takes for allocatable: a limit of the whole pod is nearer than what the node has. */
export function allocatableForPod({ spec }: Pod, allocatable: ResourceList): ResourceList {
  const nearer: Record<string, string> = { ...allocatable };
  for (const name of ["cpu", "memory"]) {
    const limit = spec.resources?.limits?.[name];
    if (limit !== undefined && amount(limit).sign() !== 0) nearer[name] = limit;
  }
  return nearer;
}

function isSupported(name: string): boolean {
  return defaulted.has(name) || name.startsWith("hugepages-");
}

function amount(text: string | undefined): Quantity {
  return parseQuantity(text === undefined || text === "" ? "0" : text);
}

function dividedUp(value: bigint, unit: bigint): bigint {
  const quotient = value / unit;
  const isExact = value % unit === 0n;
  return isExact || value < 0n !== unit < 0n ? quotient : quotient + 1n;
}
