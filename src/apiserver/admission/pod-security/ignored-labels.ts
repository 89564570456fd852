// Whoever labels a namespace that is exempt is told that the labels do nothing.

import { goQuote } from "../../../api/validation/go-text.ts";
import { isSame, labelPrefix, type Policy, textOf } from "./policy.ts";

const modes = ["enforce", "audit", "warn"] as const;

export interface LabelledNamespace {
  readonly name: string;
  readonly labels: { readonly [key: string]: string };
  readonly policy: Policy;
}

/** Empty if the labels ask for nothing, or for what holds without them. */
export function ignoredLabels(
  { name, labels, policy }: LabelledNamespace,
  defaults: Policy,
): string[] {
  const asking = modes.filter((mode) => policy[mode].level !== "privileged");
  const isDefault = modes.every(
    (mode) =>
      isSame(policy[mode], defaults[mode]) ||
      (policy[mode].level === "privileged" && defaults[mode].level === "privileged"),
  );
  if (asking.length === 0 || isDefault) return [];
  const told = asking
    .filter((mode) =>
      [mode, `${mode}-version`].some((label) => Object.hasOwn(labels, labelPrefix + label)),
    )
    .map((mode) => `${mode}=${textOf(policy[mode])}`);
  return [
    `namespace ${goQuote(name)} is exempt from Pod Security, and the policy (${told.join(", ")}) will be ignored`,
  ];
}
