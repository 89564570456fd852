// Roles whose rules are those of other roles, chosen by labels. A chosen role may itself be aggregated, also in a
// circle: the rules are gathered until no role grows any more, starting from those that people wrote.

import { type LabelSelector, labelSelectorOf } from "../../api/selectors/label-selector.ts";
import { SelectorError } from "../../api/selectors/selector-error.ts";
import type { ClusterRole, PolicyRule } from "../../api/types.ts";

/** Undefined if the role is not aggregated, or chooses by what cannot be read. */
export function selectorsOf({
  aggregationRule,
}: ClusterRole): readonly LabelSelector[] | undefined {
  if (aggregationRule === undefined) return undefined;
  try {
    return (aggregationRule.clusterRoleSelectors ?? []).map(labelSelectorOf);
  } catch (err) {
    if (err instanceof SelectorError) return undefined;
    throw err;
  }
}

/**
 * What the rules of each aggregated role should be. `roles` are all there are, sorted by name: the order of the
 * rules is that of the selectors, then of the names.
 */
export function aggregatedRules(
  roles: readonly ClusterRole[],
): ReadonlyMap<ClusterRole, readonly PolicyRule[]> {
  const chosen = new Map<ClusterRole, readonly ClusterRole[]>();
  const gathered = new Map<ClusterRole, readonly PolicyRule[]>();
  for (const role of roles) {
    const selectors = selectorsOf(role);
    if (selectors === undefined) continue;
    chosen.set(role, chosenBy(selectors, roles));
    gathered.set(role, []);
  }
  let isGrowing = true;
  while (isGrowing) {
    isGrowing = false;
    for (const [role, others] of chosen) {
      const rules = distinct(others.flatMap((other) => gathered.get(other) ?? other.rules ?? []));
      isGrowing ||= rules.length > (gathered.get(role)?.length ?? 0);
      gathered.set(role, rules);
    }
  }
  return gathered;
}

function chosenBy(
  selectors: readonly LabelSelector[],
  roles: readonly ClusterRole[],
): readonly ClusterRole[] {
  return selectors.flatMap((selector) =>
    roles.filter((role) => selector.matches(role.metadata.labels)),
  );
}

function distinct(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const first = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const identity = identityOf(rule);
    if (!first.has(identity)) first.set(identity, rule);
  }
  return [...first.values()];
}

function identityOf(rule: PolicyRule): string {
  const { apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  const lists = [rule.verbs, apiGroups, resources, resourceNames, nonResourceURLs];
  return JSON.stringify(lists.map((list) => list ?? []));
}
