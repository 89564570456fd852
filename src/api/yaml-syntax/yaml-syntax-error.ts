// Says what is wrong with a text that is not YAML, in the words of Go's parser, which the API repeats to its clients. Values are
// nobody's business here: it follows the tokens of the first document, and the first one that has no place is the mistake.

import { YamlMistake } from "./yaml-mistake.ts";
import { type YamlToken, type YamlTokenKind, YamlTokens } from "./yaml-tokens.ts";

/** As a client sees it, `yaml: line 3: did not find expected key`; undefined if Go's parser has nothing to complain of. */
export function yamlSyntaxError(text: string): string | undefined {
  try {
    new Syntax(text).run();
    return undefined;
  } catch (err) {
    if (err instanceof YamlMistake) return err.message;
    throw err;
  }
}

/** What is to come when the node is over that was begun last. */
type Step =
  | ("block entry" | "indentless entry" | "block key" | "block value")
  | ("first item" | "next item" | "item key" | "item value")
  | ("first pair" | "next pair" | "pair value");

interface NodeContext {
  /** Within brackets there are no blocks. */
  readonly allowsBlock: boolean;
  /** The entries of a list may stand in the column of the key whose value it is. */
  readonly allowsIndentless: boolean;
}

const inBlock: NodeContext = { allowsBlock: true, allowsIndentless: false };
const inMapping: NodeContext = { allowsBlock: true, allowsIndentless: true };
const inBrackets: NodeContext = { allowsBlock: false, allowsIndentless: false };

class Syntax {
  readonly #tokens: YamlTokens;
  /** A list and not recursion: a text may be deeper than the stack. */
  readonly #steps: Step[] = [];
  readonly #anchors = new Set<string>();
  readonly #handles = new Set<string>();
  readonly #actions: Readonly<Record<Step, () => void>> = {
    "block entry": () => this.#blockEntry(),
    "indentless entry": () => this.#indentlessEntry(),
    "block key": () => this.#blockKey(),
    "block value": () => this.#blockValue(),
    "first item": () => this.#item(),
    "next item": () => this.#nextItem(),
    "item key": () => this.#itemKey(),
    "item value": () => this.#valueThen("next item", "]"),
    "first pair": () => this.#pair(),
    "next pair": () => this.#nextPair(),
    "pair value": () => this.#valueThen("next pair", "}"),
  };

  constructor(text: string) {
    this.#tokens = new YamlTokens(text);
  }

  run(): void {
    this.#document();
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      this.#actions[step]();
    }
    // Whether the document is over is known from the token after it. The rest of the text is not looked at.
    this.#tokens.peek();
  }

  #document(): void {
    if (this.#isNext("end of text")) return;
    if (!this.#isNext("%YAML", "%TAG", "---")) {
      this.#node(inBlock);
      return;
    }
    this.#directives();
    if (!this.#isNext("---")) this.#fail("did not find expected <document start>");
    this.#tokens.skip();
    if (!this.#isNext("%YAML", "%TAG", "---", "...", "end of text")) this.#node(inBlock);
  }

  #directives(): void {
    let hasVersion = false;
    for (; this.#isNext("%YAML", "%TAG"); this.#tokens.skip()) {
      const { kind, name = "" } = this.#tokens.peek();
      if (kind === "%YAML") {
        if (hasVersion) this.#fail("found duplicate %YAML directive");
        if (name !== "1.1") this.#fail("found incompatible YAML document");
        hasVersion = true;
      } else {
        if (this.#handles.has(name)) this.#fail("found duplicate %TAG directive");
        this.#handles.add(name);
      }
    }
  }

  #blockEntry(): void {
    if (this.#isNext("-")) {
      this.#tokens.skip();
      this.#steps.push("block entry");
      if (!this.#isNext("-", "block end")) this.#node(inBlock);
    } else {
      this.#expect("block end", "did not find expected '-' indicator");
    }
  }

  #indentlessEntry(): void {
    if (!this.#isNext("-")) return;
    this.#tokens.skip();
    this.#steps.push("indentless entry");
    if (!this.#isNext("-", "?", ":", "block end")) this.#node(inBlock);
  }

  #blockKey(): void {
    if (this.#isNext("?")) {
      this.#tokens.skip();
      this.#steps.push("block value");
      if (!this.#isNext("?", ":", "block end")) this.#node(inMapping);
    } else {
      this.#expect("block end", "did not find expected key");
    }
  }

  #blockValue(): void {
    this.#steps.push("block key");
    if (!this.#isNext(":")) return;
    this.#tokens.skip();
    if (!this.#isNext("?", ":", "block end")) this.#node(inMapping);
  }

  #nextItem(): void {
    if (!this.#isNext("]")) this.#expect(",", "did not find expected ',' or ']'");
    this.#item();
  }

  #item(): void {
    if (this.#isNext("?")) {
      this.#tokens.skip();
      this.#steps.push("item key");
    } else if (this.#isNext("]")) {
      this.#tokens.skip();
    } else {
      this.#steps.push("next item");
      this.#node(inBrackets);
    }
  }

  /** Of a pair in a list. Go's parser steps over what comes instead of the key, even over the end of the list. */
  #itemKey(): void {
    this.#steps.push("item value");
    if (this.#isNext(":", ",", "]")) this.#tokens.skip();
    else this.#node(inBrackets);
  }

  #nextPair(): void {
    if (!this.#isNext("}")) this.#expect(",", "did not find expected ',' or '}'");
    this.#pair();
  }

  #pair(): void {
    if (this.#isNext("?")) {
      this.#tokens.skip();
      this.#steps.push("pair value");
      if (!this.#isNext(":", ",", "}")) this.#node(inBrackets);
    } else if (this.#isNext("}")) {
      this.#tokens.skip();
    } else {
      this.#steps.push("next pair");
      this.#node(inBrackets);
    }
  }

  #valueThen(step: "next item" | "next pair", end: "]" | "}"): void {
    this.#steps.push(step);
    if (!this.#isNext(":")) return;
    this.#tokens.skip();
    if (!this.#isNext(",", end)) this.#node(inBrackets);
  }

  #node(context: NodeContext): void {
    if (this.#isNext("*")) {
      this.#alias();
      return;
    }
    const hasProperties = this.#properties();
    const { kind } = this.#tokens.peek();
    const step = stepInto(kind, context);
    if (step !== undefined) {
      this.#steps.push(step);
      // The entries of an indentless list have no token before them.
      if (kind !== "-") this.#tokens.skip();
    } else if (kind === "scalar") {
      this.#tokens.skip();
    } else if (!hasProperties) {
      this.#fail("did not find expected node content");
    }
  }

  #alias(): void {
    const { name = "" } = this.#tokens.peek();
    if (!this.#anchors.has(name)) {
      throw new YamlMistake(`unknown anchor '${name}' referenced`, { line: 0, by: "parser" });
    }
    this.#tokens.skip();
  }

  /** An anchor and a tag, in any order. */
  #properties(): boolean {
    let tag: YamlToken | undefined;
    let anchor: YamlToken | undefined;
    for (;;) {
      const token = this.#tokens.peek();
      if (token.kind === "&" && anchor === undefined) anchor = token;
      else if (token.kind === "!" && tag === undefined) tag = token;
      else break;
      this.#tokens.skip();
    }
    if (anchor?.name !== undefined) this.#anchors.add(anchor.name);
    if (tag?.name !== undefined && !this.#isKnownHandle(tag.name)) {
      this.#fail("found undefined tag handle", tag);
    }
    return tag !== undefined || anchor !== undefined;
  }

  #isKnownHandle(handle: string): boolean {
    return handle === "!" || handle === "!!" || this.#handles.has(handle);
  }

  #isNext(...kinds: readonly YamlTokenKind[]): boolean {
    return kinds.includes(this.#tokens.peek().kind);
  }

  #expect(kind: YamlTokenKind, problem: string): void {
    if (!this.#isNext(kind)) this.#fail(problem);
    this.#tokens.skip();
  }

  #fail(problem: string, { line }: YamlToken = this.#tokens.peek()): never {
    throw new YamlMistake(problem, { line, by: "parser" });
  }
}

/** What is inside of a node that begins so; undefined if there is nothing. */
function stepInto(
  kind: YamlTokenKind,
  { allowsBlock, allowsIndentless }: NodeContext,
): Step | undefined {
  if (kind === "[") return "first item";
  if (kind === "{") return "first pair";
  if (kind === "-" && allowsIndentless) return "indentless entry";
  if (kind === "block sequence" && allowsBlock) return "block entry";
  if (kind === "block mapping" && allowsBlock) return "block key";
  return undefined;
}
