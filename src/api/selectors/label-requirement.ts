// One condition of a label selector: a key, an operator and values, judged as the API judges them.

import { type FieldError, invalid } from "../validation/field-error.ts";
import { FieldPath } from "../validation/field-path.ts";
import { labelValue, qualifiedName } from "../validation/names.ts";
import { SelectorError } from "./selector-error.ts";

/** As written in a selector; "exists" is a bare key. */
export type LabelOperator = "in" | "notin" | "=" | "==" | "!=" | "gt" | "lt" | "exists" | "!";

export type Labels = Readonly<Record<string, string>>;

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Without duplicates; in the order given. */
  readonly values: ReadonlySet<string>;
}

/** Throws SelectorError for a key or value that no label can have, or a wrong number of values. */
export function labelRequirement(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
): LabelRequirement {
  const errors = [
    ...keyErrors(key, "key"),
    ...countErrors(operator, values),
    ...valueErrors(key, values),
  ];
  if (errors.length > 0) throw new SelectorError(aggregated(errors));
  return { key, operator, values: new Set(values) };
}

/** Empty if `key` can be the key of a label. `field` is how the message calls it. */
export function keyErrors(key: string, field: string): readonly FieldError[] {
  const texts = qualifiedName(key);
  return texts.length === 0 ? [] : [invalid(FieldPath.of(field), key, texts.join("; "))];
}

export function satisfies({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  if (value === undefined) return absenceSatisfies.has(operator);
  if (operator === "exists") return true;
  if (operator === "gt" || operator === "lt") return liesBeyond(value, operator, values);
  if (operator === "!") return false;
  return values.has(value) !== absenceSatisfies.has(operator);
}

const absenceSatisfies: ReadonlySet<LabelOperator> = new Set(["notin", "!=", "!"]);

/** In the form that can be parsed again. */
export function requirementText({ key, operator, values }: LabelRequirement): string {
  if (operator === "exists") return key;
  if (operator === "!") return `!${key}`;
  const sorted = [...values].sort().join(",");
  if (operator === "in" || operator === "notin") return `${key} ${operator} (${sorted})`;
  const symbol = operator === "gt" ? ">" : operator === "lt" ? "<" : operator;
  return key + symbol + sorted;
}

/** A list of wrong values must not come back fifty times as long. */
const maxTold = 100;

/** One error as it is; several in brackets, each text once. */
export function aggregated(errors: readonly FieldError[]): string {
  const told = errors.slice(0, maxTold);
  const texts = [...new Set(told.map(({ field, message }) => `${field}: ${message}`))];
  return texts.length === 1 ? texts.join("") : `[${texts.join(", ")}]`;
}

const values = FieldPath.of("values");

function countErrors(operator: LabelOperator, given: readonly string[]): readonly FieldError[] {
  const { min, max, text } = countRules[operator];
  const fits = given.length >= min && given.length <= max;
  const shown = given.length === 0 ? null : [...given];
  const errors = fits ? [] : [invalid(values, shown, text)];
  if (operator === "gt" || operator === "lt") {
    for (const [i, value] of given.entries()) {
      if (int64Of(value) !== undefined) continue;
      const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
      errors.push(invalid(values.index(i), value, detail));
    }
  }
  return errors;
}

interface CountRule {
  readonly min: number;
  readonly max: number;
  readonly text: string;
}

const several: CountRule = {
  min: 1,
  max: Number.POSITIVE_INFINITY,
  text: "for 'in', 'notin' operators, values set can't be empty",
};
const exact: CountRule = {
  min: 1,
  max: 1,
  text: "exact-match compatibility requires one single value",
};
const bound: CountRule = {
  min: 1,
  max: 1,
  text: "for 'Gt', 'Lt' operators, exactly one value is required",
};
const none: CountRule = {
  min: 0,
  max: 0,
  text: "values set must be empty for exists and does not exist",
};
const countRules: Readonly<Record<LabelOperator, CountRule>> = {
  in: several,
  notin: several,
  "=": exact,
  "==": exact,
  "!=": exact,
  gt: bound,
  lt: bound,
  exists: none,
  "!": none,
};

function valueErrors(key: string, given: readonly string[]): readonly FieldError[] {
  return given.flatMap((value, i) => {
    const texts = labelValue(value);
    return texts.length === 0 ? [] : [invalid(values.index(i).key(key), value, texts.join("; "))];
  });
}

function liesBeyond(value: string, operator: "gt" | "lt", bounds: ReadonlySet<string>): boolean {
  const number = int64Of(value);
  const bound = int64Of([...bounds].join());
  if (number === undefined || bound === undefined) return false;
  return operator === "gt" ? number > bound : number < bound;
}

/** Undefined if `text` is no decimal int64. Labels have at most 63 characters, so this is always short work. */
function int64Of(text: string): bigint | undefined {
  if (text.length > 63 || !/^[+-]?\d+$/.test(text)) return undefined;
  const number = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, number) === number ? number : undefined;
}
