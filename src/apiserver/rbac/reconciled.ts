// What a stored role or binding becomes so that it has at least what the policy wants. Nothing is taken away: rules,
// subjects and labels that people added stay, and their values win.

import type { ApiObject } from "../../api/object.ts";
import type { ClusterRole, LabelSelector, RoleBinding, Subject } from "../../api/types.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import { AUTO_UPDATE } from "./policy-entry.ts";
import { uncovered } from "./rule-cover.ts";

export type Reconciled =
  /** It has all. */
  | { readonly do: "nothing" }
  /** It lacks something, and people said to leave it alone. */
  | { readonly do: "spare" }
  | { readonly do: "update"; readonly object: ApiObject }
  /** It refers to another role, which can never change: it has to go first. */
  | { readonly do: "recreate" };

/** Neither object is changed. */
export function reconciled(existing: ApiObject, wanted: ApiObject): Reconciled {
  const step = "roleRef" in wanted ? bindingStep(existing, wanted) : roleStep(existing, wanted);
  const isProtected = existing.metadata.annotations?.[AUTO_UPDATE] === "false";
  return isProtected && step.do !== "nothing" ? { do: "spare" } : step;
}

function roleStep(existing: ApiObject, wanted: ApiObject): Reconciled {
  const has = existing as ClusterRole;
  const wants = wanted as ClusterRole;
  const missing = uncovered(has.rules ?? [], wants.rules ?? []);
  const aggregationRule = aggregationOf(has, wants);
  return updateUnlessSame(existing, {
    ...withMetadata(existing, wanted),
    ...(missing.length > 0 && { rules: [...(has.rules ?? []), ...missing] }),
    aggregationRule,
  } as ApiObject);
}

/** A role that the policy does not aggregate is not aggregated: its own rules would be overwritten. */
function aggregationOf(has: ClusterRole, wants: ClusterRole): ClusterRole["aggregationRule"] {
  if (wants.aggregationRule === undefined) return undefined;
  const selectors: readonly LabelSelector[] = has.aggregationRule?.clusterRoleSelectors ?? [];
  const missing = (wants.aggregationRule.clusterRoleSelectors ?? []).filter(
    (selector) => !selectors.some((other) => semanticEqual(other, selector)),
  );
  return { clusterRoleSelectors: [...selectors, ...missing] };
}

function bindingStep(existing: ApiObject, wanted: ApiObject): Reconciled {
  const has = existing as unknown as RoleBinding;
  const wants = wanted as unknown as RoleBinding;
  if (!semanticEqual(has.roleRef, wants.roleRef)) return { do: "recreate" };
  const subjects: readonly Subject[] = has.subjects ?? [];
  const missing = (wants.subjects ?? []).filter(
    (subject) => !subjects.some((other) => semanticEqual(other, subject)),
  );
  return updateUnlessSame(existing, {
    ...withMetadata(existing, wanted),
    ...(missing.length > 0 && { subjects: [...subjects, ...missing] }),
  } as ApiObject);
}

function withMetadata(existing: ApiObject, wanted: ApiObject): ApiObject {
  const { metadata } = existing;
  return {
    ...existing,
    metadata: {
      ...metadata,
      labels: { ...wanted.metadata.labels, ...metadata.labels },
      annotations: { ...wanted.metadata.annotations, ...metadata.annotations },
    },
  };
}

function updateUnlessSame(existing: ApiObject, object: ApiObject): Reconciled {
  return semanticEqual(existing, object) ? { do: "nothing" } : { do: "update", object };
}
