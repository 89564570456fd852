// What is audited, and how much of it: rules in order, the first that matches decides.

import type { Action } from "../authorization.ts";
import { type AuditLevel, type AuditStage, namespaceOf } from "./audit-event.ts";

export interface GroupResources {
  /** "" is the core group, "*" any. */
  readonly group: string;
  // `pods`, `pods/log`, `pods/*`, `*/status`, `*`. Empty: all of the group.
  readonly resources: readonly string[];
  /** Empty: all. */
  readonly resourceNames: readonly string[];
}

/** A list that is empty demands nothing. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly GroupResources[];
  /** "" is what is in no namespace. */
  readonly namespaces: readonly string[];
  /** With a `*` at the end, all that begins like it. */
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: readonly AuditStage[];
  /** Undefined: as the policy says. */
  readonly omitManagedFields: boolean | undefined;
}

export interface AuditPolicy {
  readonly rules: readonly AuditRule[];
  /** Of every rule, besides its own. */
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}

/** For one request. */
export interface AuditChoice {
  readonly level: AuditLevel;
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}

const nothing: AuditChoice = { level: "None", omitStages: [], omitManagedFields: false };

/** What matches no rule is not audited. */
export function auditChooser(policy: AuditPolicy): (action: Action) => AuditChoice {
  const choices = policy.rules.map((rule) => ({
    rule,
    choice: {
      level: rule.level,
      omitStages: [...policy.omitStages, ...rule.omitStages],
      omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields,
    },
  }));
  return (action) => choices.find(({ rule }) => matches(rule, action))?.choice ?? nothing;
}

function matches(rule: AuditRule, action: Action): boolean {
  const { user, verb } = action;
  if (!admits(rule.users, user.name) || !admits(rule.verbs, verb)) return false;
  const { userGroups } = rule;
  if (userGroups.length > 0 && !user.groups.some((group) => userGroups.includes(group))) {
    return false;
  }
  if (rule.namespaces.length > 0 || rule.resources.length > 0) return isOfResource(rule, action);
  if (rule.nonResourceURLs.length === 0) return true;
  return !action.isResource && rule.nonResourceURLs.some((url) => covers(url, action.path));
}

function isOfResource(rule: AuditRule, action: Action): boolean {
  if (!action.isResource || !admits(rule.namespaces, namespaceOf(action))) return false;
  if (rule.resources.length === 0) return true;
  return rule.resources.some(
    ({ group, resources, resourceNames }) =>
      (group === "*" || group === action.group) &&
      (resources.length === 0 ||
        (admits(resourceNames, action.name) &&
          resources.some((resource) => names(resource, action)))),
  );
}

function names(pattern: string, { resource, subresource }: Action): boolean {
  if (pattern === "*") return true;
  if (pattern === (subresource === "" ? resource : `${resource}/${subresource}`)) return true;
  if (pattern.endsWith("/*")) return pattern.slice(0, -2) === resource;
  return subresource !== "" && pattern === `*/${subresource}`;
}

function admits(list: readonly string[], value: string): boolean {
  return list.length === 0 || list.includes(value);
}

function covers(url: string, path: string): boolean {
  return url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1)));
}
