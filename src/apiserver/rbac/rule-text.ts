// Rules and lists of errors as the API's messages show them.

import type { PolicyRule } from "../../api/types.ts";
import { goQuote } from "../../api/validation/go-text.ts";

/** One line per rule, sorted, with the verbs of the same resource together. */
export function rulesText(rules: readonly PolicyRule[]): string {
  const lines = compacted(rules).map(ruleText);
  return [...new Set(lines)].sort().join("\n");
}

/** `["a" "b"]` */
export function quotedList(values: readonly string[]): string {
  return `[${values.map(goQuote).join(" ")}]`;
}

/** One error as it is; several, each said once, in brackets. */
export function errorsText(texts: readonly string[]): string {
  const distinct = [...new Set(texts)];
  return distinct.length > 1 ? `[${distinct.join(", ")}]` : distinct.join("");
}

function ruleText(rule: PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[] | null | undefined])[] = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ];
  const texts = parts.flatMap(([label, values]) =>
    values && values.length > 0 ? [`${label}:${quotedList(values)}`] : [],
  );
  return `{${texts.join(", ")}}`;
}

/** Rules about one resource that differ in their verbs only become one. */
function compacted(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const byPlace = new Map<string, PolicyRule>();
  const others: PolicyRule[] = [];
  for (const rule of rules) {
    const place = placeOf(rule);
    if (place === undefined) {
      others.push(rule);
      continue;
    }
    const verbs = [...(byPlace.get(place)?.verbs ?? []), ...(rule.verbs ?? [])];
    byPlace.set(place, { ...rule, verbs });
  }
  return [...others, ...byPlace.values()];
}

/** Of a rule with one group and resource and no more than one name. */
function placeOf(rule: PolicyRule): string | undefined {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const isSimple =
    apiGroups.length === 1 &&
    resources.length === 1 &&
    resourceNames.length < 2 &&
    nonResourceURLs.length === 0;
  return isSimple ? JSON.stringify([apiGroups, resources, resourceNames]) : undefined;
}
