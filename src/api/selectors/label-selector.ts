// Which objects a list, a watch, a Service or a workload means, by their labels: all requirements have to hold.
// Comes from the text of a query (see label-selector-parser.ts) or from a LabelSelector in an object.

import { goQuote } from "../validation/go-text.ts";
import {
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  labelRequirement,
  requirementText,
  satisfies,
} from "./label-requirement.ts";
import { SelectorError } from "./selector-error.ts";

const noLabels: Labels = {};

export class LabelSelector {
  /** Sorted by key. */
  readonly requirements: readonly LabelRequirement[];
  /** The exact value that a match must have for these keys: a hint to look up by instead of trying everything. */
  readonly requiredEquals: ReadonlyMap<string, string>;
  /** Not even an object without labels matches. A selector that merely contradicts itself does not say so. */
  readonly matchesNothing: boolean;

  constructor(requirements: readonly LabelRequirement[], matchesNothing = false) {
    this.requirements = requirements.toSorted(byKey);
    this.requiredEquals = requiredEqualsOf(this.requirements);
    this.matchesNothing = matchesNothing;
  }

  /** Everything matches. */
  get isEmpty(): boolean {
    return this.requirements.length === 0 && !this.matchesNothing;
  }

  matches(labels: Labels | undefined): boolean {
    if (this.matchesNothing) return false;
    const given = labels ?? noLabels;
    return this.requirements.every((requirement) => satisfies(requirement, given));
  }

  /** Equal selectors have equal texts, and the text can be parsed again. */
  toString(): string {
    return this.requirements.map(requirementText).join(",");
  }
}

const everyLabel: LabelSelector = new LabelSelector([]);
const nothing = new LabelSelector([], true);

/** metav1.LabelSelector, as far as it matters here. */
export interface LabelSelectorJson {
  readonly matchLabels?: Labels | undefined;
  readonly matchExpressions?:
    | readonly {
        readonly key: string;
        readonly operator: string;
        readonly values?: readonly string[] | undefined;
      }[]
    | undefined;
}

/** An absent selector matches nothing, an empty one everything. Throws SelectorError. */
export function labelSelectorOf(json: LabelSelectorJson | null | undefined): LabelSelector {
  if (json === undefined || json === null) return nothing;
  const labels = Object.entries(json.matchLabels ?? {});
  const expressions = json.matchExpressions ?? [];
  if (labels.length + expressions.length === 0) return everyLabel;
  return new LabelSelector([
    ...labels.map(([key, value]) => labelRequirement(key, "=", [value])),
    ...expressions.map(({ key, operator, values = [] }) =>
      labelRequirement(key, operatorOf(operator), values),
    ),
  ]);
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

function operatorOf(name: string): LabelOperator {
  const operator = operators.get(name);
  if (operator !== undefined) return operator;
  throw new SelectorError(`${goQuote(name)} is not a valid label selector operator`);
}

function requiredEqualsOf(requirements: readonly LabelRequirement[]): ReadonlyMap<string, string> {
  const required = new Map<string, string>();
  for (const { key, operator, values } of requirements) {
    const exact = operator === "=" || operator === "==" || operator === "in";
    const [value] = values;
    if (exact && values.size === 1 && value !== undefined && !required.has(key)) {
      required.set(key, value);
    }
  }
  return required;
}

function byKey(a: LabelRequirement, b: LabelRequirement): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
