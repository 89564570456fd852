// What a pod says about pods that it wants to be near to, or far from. Two terms that say the same have the same key, so that a
// thousand pods of one Deployment count as one term with a thousand holders.

import type { Labels } from "../../api/selectors/label-requirement.ts";
import {
  type LabelSelector,
  type LabelSelectorJson,
  labelSelectorOf,
} from "../../api/selectors/label-selector.ts";
import { SelectorError } from "../../api/selectors/selector-error.ts";
import type { Affinity, PodAffinityTerm, WeightedPodAffinityTerm } from "../../api/types.ts";

/** What of a pod terms look at. */
export interface LabelledPod {
  readonly namespace: string;
  readonly labels: Labels;
}

export interface PodTerm {
  /** Equal for terms that select the same pods, in the same topology, with the same weight. */
  readonly key: string;
  readonly topologyKey: string;
  /** Of preferred terms; 1 for required ones. */
  readonly weight: number;
  /** It may answer differently when labels of namespaces change. */
  readonly looksAtNamespaces: boolean;
  readonly selects: (pod: LabelledPod, namespaceLabels: NamespaceLabels) => boolean;
}

export type NamespaceLabels = (namespace: string) => Labels;

export interface PodTerms {
  readonly required: readonly PodTerm[];
  readonly requiredAnti: readonly PodTerm[];
  readonly preferred: readonly PodTerm[];
  readonly preferredAnti: readonly PodTerm[];
}

export function podTermsOf(affinity: Affinity | undefined, namespace: string): PodTerms {
  const { podAffinity: near, podAntiAffinity: far } = affinity ?? {};
  const required = (terms: readonly PodAffinityTerm[] = []): readonly PodTerm[] =>
    terms.map((term) => termOf(term, namespace, 1));
  const preferred = (terms: readonly WeightedPodAffinityTerm[] = []): readonly PodTerm[] =>
    terms.map(({ weight, podAffinityTerm }) => termOf(podAffinityTerm, namespace, weight));
  return {
    required: required(near?.requiredDuringSchedulingIgnoredDuringExecution),
    requiredAnti: required(far?.requiredDuringSchedulingIgnoredDuringExecution),
    preferred: preferred(near?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAnti: preferred(far?.preferredDuringSchedulingIgnoredDuringExecution),
  };
}

/** One that cannot be understood, which a server should have refused, selects nothing. */
export function leniently(json: LabelSelectorJson | undefined): LabelSelector {
  try {
    return labelSelectorOf(json);
  } catch (err) {
    if (err instanceof SelectorError) return labelSelectorOf(undefined);
    throw err;
  }
}

/** Equal selectors have equal texts; "" is everything. */
export function selectorText(selector: LabelSelector): string {
  return selector.matchesNothing ? "(nothing)" : selector.toString();
}

function termOf(term: PodAffinityTerm, own: string, weight: number): PodTerm {
  const { topologyKey, labelSelector, namespaceSelector } = term;
  const named = term.namespaces ?? [];
  const isOwnOnly = named.length === 0 && namespaceSelector === undefined;
  const namespaces = new Set(isOwnOnly ? [own] : named);
  const inNamespaces = leniently(namespaceSelector);
  const selector = leniently(labelSelector);
  const parts = [
    topologyKey,
    String(weight),
    [...namespaces].sort().join(","),
    selectorText(inNamespaces),
    selectorText(selector),
  ];
  return {
    key: parts.join("|"),
    topologyKey,
    weight,
    looksAtNamespaces: !inNamespaces.isEmpty && !inNamespaces.matchesNothing,
    selects: ({ namespace, labels }, namespaceLabels) =>
      (namespaces.has(namespace) || inNamespaces.matches(namespaceLabels(namespace))) &&
      selector.matches(labels),
  };
}
