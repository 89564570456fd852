// LabelSelectors at work: which labels they match, and how they are written as text.

import { FieldPath } from "./field-path.ts";
import { type LabelSelectorLike, validateLabelSelector } from "./labels.ts";

type Labels = { readonly [key: string]: string } | null | undefined;

export interface LabelMatcher {
  /** Matches everything. An absent selector does not: it matches nothing. */
  readonly isEmpty: boolean;
  matches(labels: Labels): boolean;
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

const nothing: LabelMatcher = { isEmpty: false, matches: () => false };

/** Undefined if the selector cannot be used. */
export function labelMatcher(
  selector: LabelSelectorLike | null | undefined,
): LabelMatcher | undefined {
  if (selector === null || selector === undefined) return nothing;
  if (validateLabelSelector(selector, FieldPath.of()).length > 0) return undefined;
  const requirements = requirementsOf(selector);
  return {
    isEmpty: requirements.length === 0,
    matches: (labels) => requirements.every((requirement) => isMet(requirement, labels)),
  };
}

export function isEmptySelector(selector: LabelSelectorLike): boolean {
  return requirementsOf(selector).length === 0;
}

/** `app=web,tier in (a,b),!old`, sorted by key. */
export function labelSelectorText(selector: LabelSelectorLike | null | undefined): string {
  return requirementsOf(selector)
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(requirementText)
    .join(",");
}

function requirementsOf(selector: LabelSelectorLike | null | undefined): Requirement[] {
  return [
    ...Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => ({
      key,
      operator: "=",
      values: [value],
    })),
    ...(selector?.matchExpressions ?? []).map(({ key = "", operator = "", values }) => ({
      key,
      operator,
      values: values ?? [],
    })),
  ];
}

function isMet({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = labels?.[key];
  switch (operator) {
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "NotIn":
      return value === undefined || !values.includes(value);
    default:
      return value !== undefined && values.includes(value);
  }
}

function requirementText({ key, operator, values }: Requirement): string {
  const listed = [...values].sort().join(",");
  switch (operator) {
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    case "=":
      return `${key}=${listed}`;
    default:
      return `${key} ${operator.toLowerCase()} (${listed})`;
  }
}
