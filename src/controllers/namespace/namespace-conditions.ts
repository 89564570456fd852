// What a namespace on its way out tells about what is left of it. Each condition is always there, and true while something is in the
// way.

import type { NamespaceCondition } from "../../api/types.ts";

/** What was found in one round. */
export interface DeletionReport {
  readonly discoveryFailure?: string | undefined;
  readonly parsingFailure?: string | undefined;
  readonly contentFailures: readonly string[];
  /** How many objects are left, by "resource.group". */
  readonly remaining: ReadonlyMap<string, number>;
  /** How many of them each finalizer holds. */
  readonly finalizers: ReadonlyMap<string, number>;
}

interface Finding {
  readonly type: string;
  /** Reason and message while all is well. */
  readonly well: readonly [reason: string, message: string];
  readonly reason: string;
  /** Undefined while all is well. */
  readonly message: (report: DeletionReport) => string | undefined;
}

/** In the order in which they are told. */
const FINDINGS: readonly Finding[] = [
  {
    type: "NamespaceDeletionDiscoveryFailure",
    well: ["ResourcesDiscovered", "All resources successfully discovered"],
    reason: "DiscoveryFailed",
    message: ({ discoveryFailure }) => discoveryFailure,
  },
  {
    type: "NamespaceDeletionGroupVersionParsingFailure",
    well: ["ParsedGroupVersions", "All legacy kube types successfully parsed"],
    reason: "GroupVersionParsingFailed",
    message: ({ parsingFailure }) => parsingFailure,
  },
  {
    type: "NamespaceDeletionContentFailure",
    well: ["ContentDeleted", "All content successfully deleted, may be waiting on finalization"],
    reason: "ContentDeletionFailed",
    message: ({ contentFailures: failures }) =>
      failures.length === 0
        ? undefined
        : `Failed to delete all resource types, ${failures.length} remaining: ${sorted(failures)}`,
  },
  {
    type: "NamespaceContentRemaining",
    well: ["ContentRemoved", "All content successfully removed"],
    reason: "SomeResourcesRemain",
    message: ({ remaining }) =>
      counted(remaining, {
        intro: "Some resources are remaining",
        each: (name, count) => `${name} has ${count} resource instances`,
      }),
  },
  {
    type: "NamespaceFinalizersRemaining",
    well: ["ContentHasNoFinalizers", "All content-preserving finalizers finished"],
    reason: "SomeFinalizersRemain",
    message: ({ finalizers }) =>
      counted(finalizers, {
        intro: "Some content in the namespace has finalizers remaining",
        each: (name, count) => `${name} in ${count} resource instances`,
      }),
  },
];

/** Others' conditions stay; times change only with the status. Undefined if there is nothing new to tell. */
export function namespaceConditions(
  held: readonly NamespaceCondition[],
  report: DeletionReport,
  now: string,
): NamespaceCondition[] | undefined {
  const conditions = [...held];
  let hasChanged = false;
  for (const { type, well, reason, message: messageOf } of FINDINGS) {
    const message = messageOf(report);
    const told =
      message === undefined
        ? { type, status: "False", reason: well[0], message: well[1] }
        : { type, status: "True", reason, message };
    const index = conditions.findIndex((condition) => condition.type === type);
    const old = conditions[index];
    if (old === undefined) {
      conditions.push({ ...told, lastTransitionTime: now });
      hasChanged = true;
    } else if (!isSame(old, told)) {
      const lastTransitionTime = old.status === told.status ? old.lastTransitionTime : now;
      conditions[index] = { ...told, lastTransitionTime };
      hasChanged = true;
    }
  }
  return hasChanged ? conditions : undefined;
}

function isSame(a: NamespaceCondition, b: NamespaceCondition): boolean {
  return a.status === b.status && a.reason === b.reason && a.message === b.message;
}

function counted(
  counts: ReadonlyMap<string, number>,
  { intro, each }: { readonly intro: string; readonly each: (name: string, n: number) => string },
): string | undefined {
  if (counts.size === 0) return undefined;
  return `${intro}: ${sorted(Array.from(counts, ([name, count]) => each(name, count)))}`;
}

function sorted(texts: readonly string[]): string {
  return [...texts].sort().join(", ");
}
