// Which pods a quota is about.

import { qosClassOf } from "../../api/defaults/pod-qos.ts";
import type { Pod, PodAffinityTerm, PodSpec, ResourceQuotaSpec } from "../../api/types.ts";
import { list } from "../../api/validation/absent.ts";

export interface Scopes {
  /** True if the quota is about all pods, and about all other kinds. */
  readonly isEverything: boolean;
  hold(pod: Pod): boolean;
}

interface Requirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

export function scopesOf({ scopes, scopeSelector }: ResourceQuotaSpec): Scopes {
  const requirements: readonly Requirement[] = [
    ...list(scopes).map((scopeName) => ({ scopeName, operator: "Exists" })),
    ...list(scopeSelector?.matchExpressions),
  ];
  return {
    isEverything: requirements.length === 0,
    hold: (pod) => requirements.every((requirement) => matches(pod, requirement)),
  };
}

function matches({ spec }: Pod, { scopeName, operator, values }: Requirement): boolean {
  switch (scopeName) {
    case "Terminating":
      return hasDeadline(spec);
    case "NotTerminating":
      return !hasDeadline(spec);
    case "BestEffort":
      return qosClassOf(spec) === "BestEffort";
    case "NotBestEffort":
      return qosClassOf(spec) !== "BestEffort";
    case "PriorityClass":
      return isOneOf(spec.priorityClassName ?? "", operator, list(values));
    case "CrossNamespacePodAffinity":
      return looksElsewhere(spec);
    default:
      return false;
  }
}

function hasDeadline({ activeDeadlineSeconds = -1 }: PodSpec): boolean {
  return activeDeadlineSeconds >= 0;
}

function isOneOf(value: string, operator: string, values: readonly string[]): boolean {
  switch (operator) {
    case "Exists":
      return value !== "";
    case "DoesNotExist":
      return value === "";
    case "In":
      return value !== "" && values.includes(value);
    case "NotIn":
      return value === "" || !values.includes(value);
    default:
      return false;
  }
}

/** It wants to be near, or far from, pods in other namespaces. */
function looksElsewhere({ affinity }: PodSpec): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].some((group) => {
    const terms: readonly PodAffinityTerm[] = [
      ...list(group?.requiredDuringSchedulingIgnoredDuringExecution),
      ...list(group?.preferredDuringSchedulingIgnoredDuringExecution).map(
        ({ podAffinityTerm }) => podAffinityTerm,
      ),
    ];
    return terms.some(
      ({ namespaces, namespaceSelector }) =>
        list(namespaces).length > 0 || namespaceSelector !== undefined,
    );
  });
}
