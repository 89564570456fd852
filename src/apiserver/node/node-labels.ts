// Which labels a node may set on itself. Workloads are steered by labels: if a node could choose all of them, it could
// draw secrets to itself. Of Kubernetes' own domains it has a few labels; node-restriction.kubernetes.io, which is for
// administrators, is one of the others.

import { text } from "../../api/validation/absent.ts";

type Labels = { readonly [key: string]: string } | undefined;

const ownLabels: ReadonlySet<string> = new Set([
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/instance-type",
  "beta.kubernetes.io/os",
  "failure-domain.beta.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "kubernetes.io/arch",
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "node.kubernetes.io/instance-type",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
]);
const ownDomains = ["kubelet.kubernetes.io", "node.kubernetes.io"];
const reservedDomains = ["kubernetes.io", "k8s.io"];

/** Those that were added, changed or removed and must not have been, sorted. */
export function forbiddenLabels(labels: Labels, old: Labels): readonly string[] {
  const [now, before] = [new Map(entriesOf(labels)), new Map(entriesOf(old))];
  const keys = new Set([...now.keys(), ...before.keys()]);
  return [...keys]
    .filter((key) => now.get(key) !== before.get(key) && !isOwn(key))
    .toSorted((a, b) => (a < b ? -1 : 1));
}

function entriesOf(labels: Labels): [string, string][] {
  return Object.entries(labels ?? {});
}

function isOwn(key: string): boolean {
  const domain = text(/^([^/]*)\//.exec(key)?.[1]);
  const isWithin = (parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);
  return !reservedDomains.some(isWithin) || ownLabels.has(key) || ownDomains.some(isWithin);
}
