// A place in a YAML text that moves forward, and what kinds of characters there are. The character at the end of the text is "".

import { YamlMistake } from "./yaml-mistake.ts";

/** Five of them, as in YAML 1.1. */
const breaks = "\r\n\u0085\u2028\u2029";

export function isBreak(char: string): boolean {
  return char !== "" && breaks.includes(char);
}

export function isBlank(char: string): boolean {
  return char === " " || char === "\t";
}

/** Where a line ends, also the last one. */
export function isLineEnd(char: string): boolean {
  return char === "" || breaks.includes(char);
}

/** What has to come after `-`, `?` and `:` to make them more than letters. */
export function isGap(char: string): boolean {
  return isBlank(char) || isLineEnd(char);
}

/** What names of anchors and tags are made of. */
export function isWord(char: string): boolean {
  return /^[\w-]$/.test(char);
}

const unreadable = /[^\t\n\r\x20-\x7e\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** In bytes. Go's parser reads and checks that much ahead, whatever it is looking at. */
const chunkBytes = 512;

export class YamlCursor {
  readonly #text: string;
  /** A character from here on cannot be looked at: something in its chunk is not allowed in YAML. */
  readonly #unreadableFrom: number;
  #at: number;
  #line = 0;
  #column = 0;
  #index = 0;

  constructor(text: string) {
    this.#text = text;
    this.#unreadableFrom = unreadableFrom(text);
    this.#at = text.startsWith("\ufeff") ? 1 : 0;
  }

  /** From zero, as all that follows. */
  get line(): number {
    return this.#line;
  }

  get column(): number {
    return this.#column;
  }

  /** How many characters were passed. */
  get index(): number {
    return this.#index;
  }

  char(ahead = 0): string {
    const at = this.#at + ahead;
    if (at >= this.#unreadableFrom) {
      throw new YamlMistake("control characters are not allowed", { line: 0, by: "reader" });
    }
    return this.#text.charAt(at);
  }

  /** `---` or `...` alone at the beginning of a line, which end whatever is open. */
  isAtDocumentMark(): boolean {
    if (this.#column > 0 || !isGap(this.char(3))) return false;
    return this.#text.startsWith("---", this.#at) || this.#text.startsWith("...", this.#at);
  }

  step(count = 1): void {
    for (let i = 0; i < count; i++) {
      // One character outside of Unicode's first plane is two of JavaScript's.
      const isPair = (this.#text.codePointAt(this.#at) ?? 0) > 0xffff;
      this.#at += isPair ? 2 : 1;
      this.#index++;
      this.#column++;
    }
  }

  /** Over a line break, if there is one. */
  stepLine(): void {
    if (!isBreak(this.char())) return;
    const count = this.char() === "\r" && this.char(1) === "\n" ? 2 : 1;
    this.#at += count;
    this.#index += count;
    this.#endLine();
  }

  /** The end of the text also ends its last line. */
  endText(): void {
    if (this.#column > 0) this.#endLine();
  }

  stepWhile(matches: (char: string) => boolean): void {
    while (matches(this.char())) this.step();
  }

  /** The letters that were passed. */
  word(): string {
    const from = this.#at;
    this.stepWhile(isWord);
    return this.#text.slice(from, this.#at);
  }

  /** Up to the end of its line, if there is one. */
  stepComment(): void {
    if (this.char() === "#") this.stepWhile((char) => !isLineEnd(char));
  }

  /** Blanks and a comment: nothing else may be in the rest of this line. */
  stepRestOfLine(): void {
    this.stepWhile(isBlank);
    this.stepComment();
    if (!isLineEnd(this.char())) this.fail("did not find expected comment or line break");
    this.stepLine();
  }

  fail(problem: string): never {
    throw new YamlMistake(problem, { line: this.#line, by: "scanner" });
  }

  #endLine(): void {
    this.#column = 0;
    this.#line++;
  }
}

function unreadableFrom(text: string): number {
  const found = unreadable.exec(text);
  if (found === null) return Number.POSITIVE_INFINITY;
  const before = new TextEncoder().encode(text.slice(0, found.index));
  let from = 0;
  while (from + chunkBytes <= before.length) {
    let next = from + chunkBytes;
    // A chunk ends with a whole character: the first byte of the next one does not begin with the bits 10.
    while (((before[next] ?? 0) & 0xc0) === 0x80) next--;
    from = next;
  }
  return new TextDecoder().decode(before.subarray(0, from)).length;
}
