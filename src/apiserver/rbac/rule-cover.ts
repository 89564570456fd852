// Do some rules allow everything that others allow? Decides what somebody may grant, and what a stored role lacks.
//
// Each rule is broken into atoms: one group, resource, verb and name, or one path and verb. An atom is covered by a
// single rule or not at all, so the question becomes one of looking each of them up.

import type { PolicyRule } from "../../api/types.ts";
import { urlCovers } from "./rule-match.ts";

/**
 * Lists multiply: a rule that fits into a request can have billions of atoms. Beyond these a rule counts as covered
 * only if one single rule covers it whole. The largest built-in role has some 500.
 */
const MAX_ATOMS = 20_000;

/** The atoms of `wanted` that no rule of `held` covers; a rule with too many atoms is returned whole. */
export function uncovered(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly PolicyRule[] {
  let budget = MAX_ATOMS;
  return wanted.flatMap((rule) => {
    if (held.some((owned) => ruleCovers(owned, rule))) return [];
    const count = atomCount(rule);
    if (count > budget) return [rule];
    budget -= count;
    return atomsOf(rule).filter((atom) => !held.some((owned) => ruleCovers(owned, atom)));
  });
}

function atomCount({
  apiGroups,
  resources,
  verbs,
  resourceNames,
  nonResourceURLs,
}: PolicyRule): number {
  const places = size(apiGroups) * size(resources) * Math.max(1, size(resourceNames));
  return (places + size(nonResourceURLs)) * size(verbs);
}

function atomsOf(rule: PolicyRule): readonly PolicyRule[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const verbs = rule.verbs ?? [];
  const names =
    resourceNames.length === 0 ? [{}] : resourceNames.map((name) => ({ resourceNames: [name] }));
  const places = apiGroups.flatMap((group) =>
    resources.map((resource) => ({ apiGroups: [group], resources: [resource] })),
  );
  return [
    ...places.flatMap((place) =>
      verbs.flatMap((verb) => names.map((name) => ({ verbs: [verb], ...place, ...name }))),
    ),
    ...nonResourceURLs.flatMap((url) =>
      verbs.map((verb) => ({ verbs: [verb], nonResourceURLs: [url] })),
    ),
  ];
}

function ruleCovers(held: PolicyRule, wanted: PolicyRule): boolean {
  return (
    coversAll(held.verbs, wanted.verbs) &&
    coversAll(held.apiGroups, wanted.apiGroups) &&
    coversResources(held.resources, wanted.resources) &&
    coversNames(held.resourceNames, wanted.resourceNames) &&
    coversUrls(held.nonResourceURLs, wanted.nonResourceURLs)
  );
}

type Values = readonly string[] | null | undefined;

function coversAll(held: Values, wanted: Values): boolean {
  if (held?.includes("*") === true) return true;
  return (wanted ?? []).every((value) => held?.includes(value) === true);
}

function coversResources(held: Values, wanted: Values): boolean {
  if (held?.includes("*") === true) return true;
  return (wanted ?? []).every((resource) => {
    const slash = resource.indexOf("/");
    const anyParent = slash === -1 ? resource : `*${resource.slice(slash)}`;
    return held?.includes(resource) === true || held?.includes(anyParent) === true;
  });
}

/** No names are all names. */
function coversNames(held: Values, wanted: Values): boolean {
  if (size(held) === 0) return true;
  return size(wanted) > 0 && coversAll(held, wanted);
}

function coversUrls(held: Values, wanted: Values): boolean {
  return (wanted ?? []).every((path) => held?.some((url) => urlCovers(url, path)) === true);
}

function size(values: Values): number {
  return values?.length ?? 0;
}
