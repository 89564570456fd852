// Does one rule allow one action? Rules only ever allow; whoever has no rule that matches is refused.

import type { PolicyRule } from "../../api/types.ts";
import type { Action } from "../authorization.ts";

/** True if the rule alone is enough for the action. */
export function ruleAllows(rule: PolicyRule, action: Action): boolean {
  if (!hasOrAll(rule.verbs, action.verb)) return false;
  if (!action.isResource) {
    return (rule.nonResourceURLs ?? []).some((url) => urlCovers(url, action.path));
  }
  return (
    hasOrAll(rule.apiGroups, action.group) &&
    resourceMatches(rule.resources ?? [], action) &&
    nameMatches(rule.resourceNames ?? [], action.name)
  );
}

/** "/a" covers itself, "/a*" whatever begins with "/a". A star that is not at the end is a star. */
export function urlCovers(url: string, path: string): boolean {
  let end = url.length;
  while (url[end - 1] === "*") end--;
  return url === path || (end < url.length && path.startsWith(url.slice(0, end)));
}

/** "*" means every resource with every subresource, "x" without any, "*\/y" the subresource of every resource. */
function resourceMatches(
  resources: readonly string[],
  { resource, subresource }: Pick<Action, "resource" | "subresource">,
): boolean {
  if (subresource === "") return hasOrAll(resources, resource);
  return (
    hasOrAll(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`)
  );
}

/** A rule with names never matches an action without one: lists and creations are about no name. */
function nameMatches(names: readonly string[], name: string): boolean {
  return names.length === 0 || names.includes(name);
}

function hasOrAll(list: readonly string[] | null | undefined, value: string): boolean {
  return list?.some((entry) => entry === "*" || entry === value) === true;
}
