// The text of a label selector, as in `?labelSelector=app in (a,b),!canary`: reads one requirement after the other, with
// the API's texts for what it does not understand.

import {
  aggregated,
  keyErrors,
  type LabelOperator,
  type LabelRequirement,
  labelRequirement,
} from "./label-requirement.ts";
import { LabelSelector } from "./label-selector.ts";
import { isKeyword, type LabelToken, tokensOf } from "./label-selector-tokens.ts";
import { SelectorError } from "./selector-error.ts";

/** Throws SelectorError. The empty text selects everything. */
export function parseLabelSelector(text: string): LabelSelector {
  return new LabelSelector(new Parser(tokensOf(text)).requirements());
}

const endToken: LabelToken = { is: "end", text: "" };

/** Written out, as the message lists them. */
const binaryOperators = "in, notin, =, ==, !=, gt, lt";
const symbolOperators: ReadonlyMap<string, LabelOperator> = new Map([
  ["=", "="],
  ["==", "=="],
  ["!=", "!="],
  [">", "gt"],
  ["<", "lt"],
]);

class Parser {
  readonly #tokens: readonly LabelToken[];
  #at = 0;

  constructor(tokens: readonly LabelToken[]) {
    this.#tokens = tokens;
  }

  requirements(): readonly LabelRequirement[] {
    const found: LabelRequirement[] = [];
    let token = this.#peek();
    while (token.is !== "end") {
      if (!startsRequirement(token)) {
        throw unexpected(token, "!, identifier, or 'end of string'");
      }
      found.push(this.#requirement());
      const after = this.#take();
      token = this.#peek();
      if (after.is === "end") break;
      if (after.text !== ",") throw unexpected(after, "',' or 'end of string'");
      if (!startsRequirement(token)) throw unexpected(token, "identifier after ','");
    }
    return found;
  }

  #requirement(): LabelRequirement {
    try {
      return this.#readRequirement();
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      throw new SelectorError(`unable to parse requirement: ${error.message}`, { cause: error });
    }
  }

  #readRequirement(): LabelRequirement {
    const negated = isSymbol(this.#peek(), "!");
    if (negated) this.#take();
    const key = this.#take();
    if (key.is !== "identifier") throw unexpected(key, "identifier");
    const errors = keyErrors(key.text, "<nil>");
    if (errors.length > 0) throw new SelectorError(aggregated(errors));
    if (negated) return labelRequirement(key.text, "!", []);
    if (this.#endsRequirement()) return labelRequirement(key.text, "exists", []);
    const operator = this.#operator();
    const set = operator === "in" || operator === "notin";
    const values = set ? this.#valueSet() : [this.#exactValue()];
    return labelRequirement(key.text, operator, values);
  }

  #operator(): LabelOperator {
    const token = this.#take();
    if (isKeyword(token)) return token.text === "in" ? "in" : "notin";
    const operator = token.is === "symbol" ? symbolOperators.get(token.text) : undefined;
    if (operator === undefined) throw unexpected(token, binaryOperators);
    return operator;
  }

  #exactValue(): string {
    if (this.#endsRequirement()) return "";
    const token = this.#take();
    if (token.is !== "identifier") throw unexpected(token, "identifier");
    return token.text;
  }

  /** `(a,,b)`: what is left out counts as the empty value. Sorted, each once. */
  #valueSet(): readonly string[] {
    const open = this.#take();
    if (!isSymbol(open, "(")) throw new SelectorError(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (!(first.is === "identifier" || isSymbol(first, ",") || isSymbol(first, ")"))) {
      throw unexpected(first, "',', ')' or identifier");
    }
    const values = new Set<string>();
    do {
      values.add(this.#listedValue());
    } while (isSymbol(this.#take(), ","));
    return [...values].sort();
  }

  /** Up to the comma or parenthesis, which is left for the caller. */
  #listedValue(): string {
    const token = this.#peek();
    if (isSymbol(token, ",") || isSymbol(token, ")")) return "";
    if (token.is !== "identifier") throw unexpected(token, "',', or identifier");
    this.#take();
    const after = this.#peek();
    if (!isSymbol(after, ",") && !isSymbol(after, ")")) throw unexpected(after, "',' or ')'");
    return token.text;
  }

  #endsRequirement(): boolean {
    const token = this.#peek();
    return token.is === "end" || isSymbol(token, ",");
  }

  #peek(): LabelToken {
    return this.#tokens[this.#at] ?? endToken;
  }

  #take(): LabelToken {
    const token = this.#peek();
    this.#at++;
    return token;
  }
}

function startsRequirement(token: LabelToken): boolean {
  return token.is === "identifier" || isSymbol(token, "!");
}

function isSymbol(token: LabelToken, text: string): boolean {
  return token.is === "symbol" && token.text === text;
}

function unexpected({ text }: LabelToken, expected: string): SelectorError {
  return new SelectorError(`found '${text}', expected: ${expected}`);
}
