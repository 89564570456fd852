// Which objects a list or a watch means, by a few fields: `metadata.name=a,status.phase!=Running`. Unlike labels, only
// the fields that a kind offers can be asked for; the backslash escapes commas, equal signs and itself in values.

import { goQuote } from "../validation/go-text.ts";
import { SelectorError } from "./selector-error.ts";

export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

export class FieldSelector {
  readonly requirements: readonly FieldRequirement[];

  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
  }

  /** Everything matches. */
  get isEmpty(): boolean {
    return this.requirements.length === 0;
  }

  /** `get` answers with the object's value of a field, "" if it has none. */
  matches(get: (field: string) => string): boolean {
    return this.requirements.every(
      ({ field, operator, value }) => (get(field) === value) === (operator === "="),
    );
  }

  /** The value that a match must have: a hint to look up by. */
  requiredEquals(field: string): string | undefined {
    return this.requirements.find((each) => each.field === field && each.operator === "=")?.value;
  }

  /** Can be parsed again. */
  toString(): string {
    return this.requirements
      .map(({ field, operator, value }) => field + operator + escapeFieldValue(value))
      .join(",");
  }
}

const everyField: FieldSelector = new FieldSelector([]);

/** What a kind offers. */
export interface SelectableFields {
  readonly namespaced: boolean;
  /** Besides name and namespace; absent if the kind has none of its own. */
  readonly own?: Iterable<string>;
  /** Names of old that still work: from old to new. */
  readonly aliases?: ReadonlyMap<string, string>;
}

/** Throws SelectorError. Requirements are in the order of their text. */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const term of termsOf(text).sort()) {
    if (term !== "") requirements.push(requirementOf(term, text));
  }
  return requirements.length === 0 ? everyField : new FieldSelector(requirements);
}

/** The selector in the kind's own words. Throws SelectorError for a field that the kind does not offer. */
export function offeredFields(selector: FieldSelector, offered: SelectableFields): FieldSelector {
  const own = offered.own === undefined ? undefined : new Set(offered.own);
  const requirements = selector.requirements.map((requirement) => {
    const field = offered.aliases?.get(requirement.field) ?? requirement.field;
    if (!isOffered(field, own, offered.namespaced)) throw notOffered(field, own !== undefined);
    return field === requirement.field ? requirement : { ...requirement, field };
  });
  return new FieldSelector(requirements);
}

export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&");
}

function isOffered(
  field: string,
  own: ReadonlySet<string> | undefined,
  namespaced: boolean,
): boolean {
  if (field === "metadata.name") return true;
  // Kinds without fields of their own accept the namespace even if they live in none.
  if (field === "metadata.namespace") return namespaced || own === undefined;
  return own?.has(field) ?? false;
}

function notOffered(field: string, hasOwn: boolean): SelectorError {
  return new SelectorError(
    hasOwn
      ? `field label not supported: ${field}`
      : `${goQuote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

/** Split at commas without a backslash before them. */
function termsOf(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === ",") {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function requirementOf(term: string, text: string): FieldRequirement {
  const at = term.search(/!=|=/);
  if (at === -1) {
    throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
  }
  const negated = term[at] === "!";
  const width = negated || term[at + 1] === "=" ? 2 : 1;
  return {
    field: term.slice(0, at),
    operator: negated ? "!=" : "=",
    value: unescaped(term.slice(at + width)),
  };
}

function unescaped(text: string): string {
  // Every backslash with what follows it, if anything does; or a character that should have had one.
  return text.replace(/\\(.?)|[,=]/gsu, (found: string, escaped: string | undefined) => {
    if (escaped === undefined) {
      const code = found.charCodeAt(0);
      throw new SelectorError(`invalid field selector: unescaped character in value: ${code}`);
    }
    if (escaped === "" || !"\\,=".includes(escaped)) {
      throw new SelectorError(`invalid field selector: invalid escape sequence: ${found}`);
    }
    return escaped;
  });
}
