// YAML as the API reads it, which is neither YAML 1.1 nor 1.2 but what go-yaml v2 does: `yes` and `on` are booleans,
// 0777 is octal, 12:30 and dates stay strings. The library gives the tree of nodes with every scalar as text; what a
// scalar means, aliases, merge keys and duplicates are decided here. Two decide what is YAML at all: what go-yaml refuses is
// found in yaml-syntax, with its words, and the library refuses some of what go-yaml takes.

import {
  type Alias,
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  type Scalar,
  visit,
  type YAMLMap,
} from "yaml";
import { DecodeError } from "./decode-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { type ParsedText, parseJsonText } from "./json-text.ts";
import { maxJsonDepth } from "./json-text-syntax.ts";
import { goQuote } from "./validation/go-text.ts";
import { plainYamlScalar } from "./yaml-scalar.ts";
import { yamlSyntaxError } from "./yaml-syntax/yaml-syntax-error.ts";

/** How many values aliases may stand for in one document. A few lines of YAML could otherwise fill the memory. */
const maxAliasedNodes = 100_000;
/** And how many characters: one long text may be named a thousand times. As many as a body has bytes. */
const maxAliasedLength = 3 * 1024 * 1024;

/**
 * How many words, marks and line breaks a text may have that is not JSON. The library takes 3 to 5 microseconds for each
 * of them, whatever its length, and the check of the syntax one more. Nobody else is answered meanwhile: this is half a
 * second, or 20,000 lines of `key: value`. Files of any size in block scalars count little.
 */
const maxLexemes = 100_000;

/** As many as the API reports at most. */
const maxDuplicates = 100;

/** Throws a DecodeError; so do two documents in one text. Clients often send JSON under this name: that is fast. */
export function parseYamlText(text: string): ParsedText {
  return parseIfJson(text) ?? new YamlReader(text).read();
}

function parseIfJson(text: string): ParsedText | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const parsed = parseJsonText(text);
    // Duplicates are told by line.
    return parsed.duplicates.length === 0 ? parsed : undefined;
  } catch (err) {
    // Not JSON, but it may be YAML in the flow style.
    if (err instanceof DecodeError) return undefined;
    throw err;
  }
}

class YamlReader {
  readonly #text: string;
  readonly #lines = new LineCounter();
  readonly #duplicates: string[] = [];
  readonly #duplicateErrors: string[] = [];
  /** Where we are: `.name` and `[index]` parts. */
  readonly #path: string[] = [];
  /** Found out in one pass: asking the library walks the document for every alias. */
  readonly #targets = new Map<Node, Node>();
  /** Aliases around the current node: an anchor inside itself has no end. */
  readonly #resolving = new Set<Node>();
  #aliasedNodes = 0;
  #aliasedLength = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): ParsedText {
    const [document, second] = this.#documents();
    this.#checkSyntax(document);
    if (second !== undefined) throw new DecodeError("yaml: expected a single document");
    if (document === undefined) return { value: null, duplicates: [] };
    this.#findTargets(document.contents);
    const value = this.#value(document.contents);
    return { value, duplicates: this.#duplicates, ...this.#told() };
  }

  /** Two at most. Reading them first bounds how long all that follows can take. */
  #documents(): Document.Parsed[] {
    const composer = new Composer({
      schema: "failsafe",
      version: "1.1",
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: "silent",
    });
    const documents: Document.Parsed[] = [];
    for (const document of composer.compose(this.#tokens())) {
      documents.push(document);
      if (documents.length === 2) break;
    }
    return documents;
  }

  /** What go-yaml would say comes first, also if the library would take it. Some texts please go-yaml but not the library. */
  #checkSyntax(document: Document.Parsed | undefined): void {
    const error = document?.errors[0];
    if (error?.code === "RESOURCE_EXHAUSTION") this.#fail("exceeded max depth", error.pos[0]);
    const told = yamlSyntaxError(this.#text);
    if (told !== undefined) throw new DecodeError(told);
    if (error !== undefined) this.#fail(lowerFirst(error.message), error.pos[0]);
  }

  *#tokens(): ReturnType<Parser["parse"]> {
    const parser = new Parser(this.#lines.addNewLine);
    this.#lines.addNewLine(0);
    let lexemes = 0;
    for (const lexeme of new Lexer().lex(this.#text)) {
      if (++lexemes > maxLexemes) throw new DecodeError("yaml: document is too complex, send JSON");
      yield* parser.next(lexeme);
    }
    yield* parser.end();
  }

  /** An alias stands for the last node before it that has its name. */
  #findTargets(root: Node | null): void {
    const anchors = new Map<string, Node>();
    visit(root, {
      Node: (_key, node) => {
        const target = isAlias(node) ? anchors.get(node.source) : undefined;
        if (target !== undefined) this.#targets.set(node, target);
        else if (!isAlias(node) && node.anchor !== undefined) anchors.set(node.anchor, node);
      },
    });
  }

  #told(): Pick<ParsedText, "duplicatesInYaml"> {
    if (this.#duplicateErrors.length === 0) return {};
    return { duplicatesInYaml: `yaml: unmarshal errors:\n  ${this.#duplicateErrors.join("\n  ")}` };
  }

  #value(node: Node | null): JsonValue {
    if (this.#path.length > maxJsonDepth) this.#fail("exceeded max depth");
    if (this.#resolving.size > 0 && ++this.#aliasedNodes > maxAliasedNodes) {
      this.#fail("document contains excessive aliasing");
    }
    if (node === null) return null;
    if (isAlias(node)) return this.#alias(node);
    if (isMap(node)) return this.#map(node as YAMLMap<Node, Node | null>);
    if (isSeq(node))
      return node.items.map((item, i) => this.#inside(`[${i}]`, item as Node | null));
    return this.#scalar(node as Scalar);
  }

  #inside(step: string, node: Node | null): JsonValue {
    this.#path.push(step);
    const value = this.#value(node);
    this.#path.pop();
    return value;
  }

  #alias(alias: Alias): JsonValue {
    const target = this.#target(alias);
    this.#resolving.add(target);
    const value = this.#value(target);
    this.#resolving.delete(target);
    return value;
  }

  #target(alias: Alias): Node {
    const target = this.#targets.get(alias);
    if (target === undefined) this.#fail(`unknown anchor '${alias.source}' referenced`);
    if (this.#resolving.has(target)) this.#fail(`anchor '${alias.source}' value contains itself`);
    return target;
  }

  #map(node: YAMLMap<Node, Node | null>): JsonObject {
    const given = new Map<string, JsonValue>();
    const merged = new Map<string, JsonValue>();
    for (const pair of node.items) {
      if (isScalar(pair.key) && pair.key.type === "PLAIN" && pair.key.value === "<<") {
        for (const [key, value] of this.#mergeSource(pair.value)) merged.set(key, value);
      } else {
        this.#pair(pair, given);
      }
    }
    for (const [key, value] of merged) if (!given.has(key)) given.set(key, value);
    // fromEntries defines properties, so that `__proto__` is a key like any other.
    return Object.fromEntries(given);
  }

  #pair(pair: Pair<Node, Node | null>, into: Map<string, JsonValue>): void {
    const key = this.#key(pair.key);
    const step = this.#path.length === 0 ? key : `.${key}`;
    const value = this.#inside(step, pair.value);
    if (into.has(key) && this.#duplicates.length < maxDuplicates) {
      const line = this.#lineOf(pair.value ?? pair.key);
      this.#duplicates.push(this.#path.join("") + step);
      this.#duplicateErrors.push(`line ${line}: key ${goQuote(key)} already set in map`);
    }
    into.set(key, value);
  }

  #key(node: Node): string {
    const key = isScalar(node) || isAlias(node) ? this.#value(node) : undefined;
    if (key === null) this.#fail("unsupported map key of type: null");
    if (typeof key === "object" || key === undefined) this.#fail("invalid map key");
    return String(key);
  }

  /** Maps that come earlier in a list win, so they are entered last. */
  #mergeSource(node: Node | null): [string, JsonValue][] {
    const source = node !== null && isAlias(node) ? this.#target(node) : node;
    const parts = isSeq(source) ? (source.items.toReversed() as (Node | null)[]) : [node];
    return parts.flatMap((part) => this.#entries(part));
  }

  #entries(node: Node | null): [string, JsonValue][] {
    const value = this.#value(node);
    if (isJsonObject(value)) return Object.entries(value) as [string, JsonValue][];
    return this.#fail("map merge requires map or sequence of maps as the value");
  }

  #scalar(node: Scalar): JsonValue {
    const text = typeof node.value === "string" ? node.value : "";
    if (this.#resolving.size > 0) this.#aliasedLength += text.length;
    if (this.#aliasedLength > maxAliasedLength) this.#fail("document contains excessive aliasing");
    const tag = node.tag?.replace("tag:yaml.org,2002:", "!!") ?? "";
    if (tag === "!!str" || (tag === "" && node.type !== "PLAIN")) return text;
    if (tag === "!!binary") this.#fail("!!binary data is not supported");
    return tag === "" || /^!!(?:bool|float|int|null)$/.test(tag)
      ? plainYamlScalar(text, tag)
      : text;
  }

  #lineOf(node: Node): number {
    return this.#lines.linePos(node.range?.[0] ?? 0).line;
  }

  /** As libyaml does, without a line for mistakes in the first one. */
  #fail(problem: string, offset = 0): never {
    const { line } = this.#lines.linePos(offset);
    throw new DecodeError(line > 1 ? `yaml: line ${line}: ${problem}` : `yaml: ${problem}`);
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
