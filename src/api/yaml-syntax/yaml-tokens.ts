// From characters to tokens, in the order and at the time in which Go's parser sees them: which of two mistakes is told
// depends on it. What may be a key is held back until that is known; if it is one, `?` is put before it, and before that
// the start of a mapping if there is none yet.

import { type PossibleKey, PossibleKeys } from "./possible-keys.ts";
import { isGap, YamlCursor } from "./yaml-cursor.ts";
import { readAnchor, readDirective, readTag } from "./yaml-properties.ts";
import { stepBlockScalar, stepPlain, stepQuoted } from "./yaml-scalars.ts";

/** Indicators are their own names. A block ends where its indentation does. */
export type YamlTokenKind =
  | ("[" | "]" | "{" | "}" | "," | "-" | "?" | ":" | "*" | "&" | "!")
  | ("%YAML" | "%TAG" | "---" | "...")
  | ("block sequence" | "block mapping" | "block end" | "scalar" | "end of text");

export interface YamlToken {
  readonly kind: YamlTokenKind;
  /** From zero. */
  readonly line: number;
  /** The name of an anchor, the handle of a tag, or the version of YAML. */
  readonly name?: string;
}

/** Of blocks. */
const maxDepth = 10_000;

export class YamlTokens {
  readonly #cursor: YamlCursor;
  readonly #keys: PossibleKeys;
  /** All there were: their places are their numbers. */
  readonly #tokens: YamlToken[] = [];
  #taken = 0;
  /** The next one was shown. Nothing is put before it then. */
  #isShown = false;
  /** The column of the innermost block, and of those around it. */
  #indent = -1;
  readonly #indents: number[] = [];
  #isKeyAllowed = true;
  readonly #indicators: Readonly<Record<string, () => void>> = {
    "[": () => this.#open("["),
    "{": () => this.#open("{"),
    "]": () => this.#close("]"),
    "}": () => this.#close("}"),
    ",": () => this.#comma(),
    "-": () => this.#entry(),
    "?": () => this.#explicitKey(),
    ":": () => this.#value(),
    "*": () => this.#property("*"),
    "&": () => this.#property("&"),
    "!": () => this.#property("!"),
    "|": () => this.#blockScalar(),
    ">": () => this.#blockScalar(),
    "'": () => this.#quoted(),
    '"': () => this.#quoted(),
  };

  constructor(text: string) {
    this.#cursor = new YamlCursor(text);
    this.#keys = new PossibleKeys(this.#cursor);
  }

  /** There is always one: nobody takes the end of the text. */
  peek(): YamlToken {
    for (;;) {
      const next = this.#tokens[this.#taken];
      if (next !== undefined && (this.#isShown || !this.#keys.isHeldBack(this.#taken))) {
        this.#isShown = true;
        return next;
      }
      this.#fetch();
    }
  }

  /** Over the one that was shown. */
  skip(): void {
    this.#taken++;
    this.#isShown = false;
  }

  #fetch(): void {
    this.#stepToToken();
    this.#endBlocks(this.#cursor.column);
    const char = this.#cursor.char();
    if (char === "") this.#endOfText();
    else if (this.#cursor.column === 0 && char === "%") this.#directive();
    else if (this.#cursor.isAtDocumentMark()) this.#documentMark(char === "-" ? "---" : "...");
    else if (this.#isIndicator(char)) this.#indicators[char]?.();
    else if ("\t%@`|>".includes(char)) {
      this.#cursor.fail("found character that cannot start any token");
    } else this.#plain();
  }

  #isIndicator(char: string): boolean {
    if (char === "-") return isGap(this.#cursor.char(1));
    if (char === "?" || char === ":") return this.#keys.inBrackets || isGap(this.#cursor.char(1));
    if (char === "|" || char === ">") return !this.#keys.inBrackets;
    return Object.hasOwn(this.#indicators, char);
  }

  /** Over blanks, comments and line breaks. Where a key could be, tabs are not blanks. */
  #stepToToken(): void {
    for (;;) {
      const isTabBlank = this.#keys.inBrackets || !this.#isKeyAllowed;
      this.#cursor.stepWhile((char) => char === " " || (isTabBlank && char === "\t"));
      this.#cursor.stepComment();
      const { line } = this.#cursor;
      this.#cursor.stepLine();
      if (this.#cursor.line === line) return;
      if (!this.#keys.inBrackets) this.#isKeyAllowed = true;
    }
  }

  #endOfText(): void {
    this.#cursor.endText();
    this.#endDocument();
    this.#add({ kind: "end of text" });
  }

  #directive(): void {
    this.#endDocument();
    const { line } = this.#cursor;
    this.#tokens.push({ ...readDirective(this.#cursor), line });
  }

  #documentMark(kind: "---" | "..."): void {
    this.#endDocument();
    this.#add({ kind });
    this.#cursor.step(3);
  }

  #endDocument(): void {
    this.#endBlocks(-1);
    this.#keys.giveUp();
    this.#isKeyAllowed = false;
  }

  #open(kind: "[" | "{"): void {
    this.#beginKey();
    this.#keys.openBracket(this.#tokens.length);
    this.#indicator(kind, { allowsKey: true });
  }

  #close(kind: "]" | "}"): void {
    this.#keys.giveUp();
    this.#keys.closeBracket();
    this.#indicator(kind, { allowsKey: false });
  }

  #comma(): void {
    this.#keys.giveUp();
    this.#indicator(",", { allowsKey: true });
  }

  #entry(): void {
    this.#beginBlockHere("block sequence", "block sequence entries");
    this.#keys.giveUp();
    this.#indicator("-", { allowsKey: true });
  }

  #explicitKey(): void {
    this.#beginBlockHere("block mapping", "mapping keys");
    this.#keys.giveUp();
    this.#indicator("?", { allowsKey: !this.#keys.inBrackets });
  }

  #value(): void {
    const key = this.#keys.take();
    if (key === undefined) {
      this.#beginBlockHere("block mapping", "mapping values");
    } else {
      this.#insert(key.token, { kind: "?", line: key.line });
      this.#beginBlock("block mapping", key);
    }
    this.#indicator(":", { allowsKey: key === undefined && !this.#keys.inBrackets });
  }

  #property(kind: "*" | "&" | "!"): void {
    this.#beginKey();
    this.#isKeyAllowed = false;
    const { line } = this.#cursor;
    const name = kind === "!" ? readTag(this.#cursor) : readAnchor(this.#cursor);
    this.#tokens.push({ kind, line, name });
  }

  #blockScalar(): void {
    this.#keys.giveUp();
    this.#isKeyAllowed = true;
    this.#add({ kind: "scalar" });
    stepBlockScalar(this.#cursor, this.#indent);
  }

  #quoted(): void {
    this.#beginKey();
    this.#isKeyAllowed = false;
    this.#add({ kind: "scalar" });
    stepQuoted(this.#cursor);
  }

  #plain(): void {
    this.#beginKey();
    this.#add({ kind: "scalar" });
    const { inBrackets } = this.#keys;
    this.#isKeyAllowed = stepPlain(this.#cursor, { indent: this.#indent, inBrackets });
  }

  #beginKey(): void {
    if (!this.#isKeyAllowed) return;
    const isRequired = !this.#keys.inBrackets && this.#indent === this.#cursor.column;
    this.#keys.begin(this.#tokens.length, isRequired);
  }

  #indicator(kind: YamlTokenKind, { allowsKey }: { readonly allowsKey: boolean }): void {
    this.#isKeyAllowed = allowsKey;
    this.#add({ kind });
    this.#cursor.step();
  }

  #add(token: Omit<YamlToken, "line">): void {
    this.#tokens.push({ ...token, line: this.#cursor.line });
  }

  /** What was taken already stays as it is; then it comes too late, and the parser will complain. */
  #insert(number: number, token: YamlToken): void {
    this.#tokens.splice(number < this.#taken ? this.#tokens.length : number, 0, token);
  }

  #beginBlockHere(kind: "block sequence" | "block mapping", what: string): void {
    if (this.#keys.inBrackets) return;
    if (!this.#isKeyAllowed) this.#cursor.fail(`${what} are not allowed in this context`);
    const { line, column } = this.#cursor;
    this.#beginBlock(kind, { token: this.#tokens.length, line, column });
  }

  #beginBlock(
    kind: "block sequence" | "block mapping",
    { token, line, column }: PossibleKey,
  ): void {
    if (this.#keys.inBrackets || column <= this.#indent) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    if (this.#indents.length > maxDepth) this.#cursor.fail(`exceeded max depth of ${maxDepth}`);
    this.#insert(token, { kind, line });
  }

  #endBlocks(column: number): void {
    if (this.#keys.inBrackets) return;
    while (this.#indent > column) {
      this.#add({ kind: "block end" });
      this.#indent = this.#indents.pop() ?? -1;
    }
  }
}
