// Which nodes a pod wants by their labels and names: nodeSelector, and the node affinity that it demands or prefers. Parsed once for a
// pod and asked once for each node.

import {
  type LabelOperator,
  type LabelRequirement,
  labelRequirement,
  satisfies,
} from "../../api/selectors/label-requirement.ts";
import { SelectorError } from "../../api/selectors/selector-error.ts";
import type { NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from "../../api/types.ts";
import type { NodeFilter, NodeInfo, SchedulableNode } from "./node-info.ts";
import { PASSES, proportional } from "./node-scores.ts";
import type { PodInfo } from "./pod-info.ts";

type NodeTest = (node: SchedulableNode) => boolean;

const never: NodeTest = () => false;

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
  ["Gt", "gt"],
  ["Lt", "lt"],
]);

/** What nodeSelector and the required affinity say together. */
export function requiredNodes({ nodeSelector, affinity }: PodSpec): NodeTest {
  const labels = Object.entries(nodeSelector ?? {});
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms?.map(termTest);
  return (node) =>
    labels.every(([key, value]) => fieldOf(node.metadata.labels, key) === value) &&
    (required === undefined || terms?.some((test) => test(node)) === true);
}

/** The only nodes that come into question, if the required affinity names them; undefined if any may. */
export function namedNodes({ affinity }: PodSpec): ReadonlySet<string> | undefined {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const names = new Set<string>();
  const terms = required?.nodeSelectorTerms ?? [];
  for (const { matchFields = [] } of terms) {
    const [first, ...more] = matchFields
      .filter(({ key, operator }) => key === "metadata.name" && operator === "In")
      .map(({ values }) => new Set(values));
    if (first === undefined) return undefined;
    for (const name of first) if (more.every((one) => one.has(name))) names.add(name);
  }
  return terms.length === 0 ? undefined : names;
}

export function nodeAffinityFilter({ spec, isOnNode }: PodInfo): NodeFilter | undefined {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (spec.nodeSelector === undefined && required === undefined) return undefined;
  const refused = ["node(s) didn't match Pod's node affinity/selector"];
  return ({ node }) => (isOnNode(node) ? PASSES : refused);
}

/** The weights of the preferred terms that hold; undefined if the pod prefers nothing. */
export function nodeAffinityScores(
  { spec }: PodInfo,
  nodes: readonly NodeInfo[],
): number[] | undefined {
  const preferred = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
  if (preferred === undefined) return undefined;
  const terms = preferred.map(({ weight, preference }) => ({ weight, test: termTest(preference) }));
  const sums = nodes.map(({ node }) =>
    terms.reduce((sum, { weight, test }) => (test(node) ? sum + weight : sum), 0),
  );
  return proportional(sums);
}

/** An empty term holds for no node, and neither does one that cannot be understood. */
function termTest({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): NodeTest {
  if (matchExpressions.length + matchFields.length === 0) return never;
  if (!matchFields.every(isFieldRequirement)) return never;
  const requirements = requirementsOf(matchExpressions);
  if (requirements === undefined) return never;
  return ({ metadata }) =>
    requirements.every((one) => satisfies(one, metadata.labels ?? {})) &&
    matchFields.every(({ key, operator, values }) => {
      const value = key === "metadata.name" ? (metadata.name ?? "") : "";
      return (values?.[0] === value) === (operator === "In");
    });
}

function isFieldRequirement({ operator, values }: NodeSelectorRequirement): boolean {
  return (operator === "In" || operator === "NotIn") && values?.length === 1;
}

function requirementsOf(
  expressions: readonly NodeSelectorRequirement[],
): readonly LabelRequirement[] | undefined {
  const requirements: LabelRequirement[] = [];
  for (const { key, operator, values = [] } of expressions) {
    const known = OPERATORS.get(operator);
    if (known === undefined) return undefined;
    try {
      requirements.push(labelRequirement(key, known, values));
    } catch (err) {
      if (err instanceof SelectorError) return undefined;
      throw err;
    }
  }
  return requirements;
}

function fieldOf(
  labels: Readonly<Record<string, string>> | null | undefined,
  key: string,
): string | undefined {
  return labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
}
