// Says what is wrong with a text that is not JSON, in the words of Go's encoding/json, which the API repeats to its
// clients: `invalid character 'x' looking for beginning of value`.

import { goQuote } from "./validation/go-text.ts";

/** Deeper values are refused, because many functions walk an object recursively. No kind of the API needs 50. */
export const maxJsonDepth = 1000;

const endOfInput = "unexpected end of JSON input";
const digits = "0123456789";

/** Thrown to leave the scan at the first mistake. */
class Mistake extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** The first mistake in the text. A text that is fine gets a message that says so; it should not come here. */
export function jsonSyntaxError(text: string): string {
  return mistakeIn(text)?.message ?? "no syntax error in JSON input";
}

/** Where the first mistake is; at the end if there is none. */
export function jsonSyntaxErrorAt(text: string): number {
  return mistakeIn(text)?.offset ?? text.length;
}

function mistakeIn(text: string): Mistake | undefined {
  try {
    new Scan(text).run();
    return undefined;
  } catch (err) {
    if (err instanceof Mistake) return err;
    throw err;
  }
}

class Scan {
  readonly #text: string;
  #at = 0;
  /** The brackets that are open. */
  readonly #open: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  run(): void {
    this.#beginValue();
    while (this.#open.length > 0) {
      if (this.#open.at(-1) === "{") this.#afterPair();
      else this.#afterItem();
    }
    this.#space();
    if (this.#at < this.#text.length) this.#fail("after top-level value");
  }

  /** Reads a scalar, or opens containers up to the first scalar or empty container inside them. */
  #beginValue(): void {
    for (;;) {
      this.#space();
      const char = this.#text[this.#at];
      if (char !== "{" && char !== "[") break;
      if (this.#open.length >= maxJsonDepth) this.#fail("exceeded max depth");
      this.#open.push(char);
      this.#at++;
      this.#space();
      if (this.#closes(char === "{" ? "}" : "]")) return;
      if (char === "{") this.#key();
    }
    this.#scalar(this.#text[this.#at]);
  }

  #afterPair(): void {
    this.#space();
    if (this.#closes("}")) return;
    if (!this.#is(",")) this.#fail("after object key:value pair");
    this.#at++;
    this.#space();
    this.#key();
    this.#beginValue();
  }

  #afterItem(): void {
    this.#space();
    if (this.#closes("]")) return;
    if (!this.#is(",")) this.#fail("after array element");
    this.#at++;
    this.#beginValue();
  }

  #closes(bracket: string): boolean {
    if (!this.#is(bracket)) return false;
    this.#open.pop();
    this.#at++;
    return true;
  }

  #key(): void {
    if (this.#text[this.#at] !== '"') this.#fail("looking for beginning of object key string");
    this.#string();
    this.#space();
    if (this.#text[this.#at] !== ":") this.#fail("after object key");
    this.#at++;
  }

  #scalar(char: string | undefined): void {
    if (char === '"') this.#string();
    else if (char === "t") this.#literal("true");
    else if (char === "f") this.#literal("false");
    else if (char === "n") this.#literal("null");
    else if (char === "-" || this.#is(digits)) this.#number();
    else this.#fail("looking for beginning of value");
  }

  #literal(word: string): void {
    for (const char of word) {
      if (this.#text[this.#at] !== char) this.#fail(`in literal ${word} (expecting '${char}')`);
      this.#at++;
    }
  }

  #number(): void {
    if (this.#text[this.#at] === "-") this.#at++;
    if (this.#text[this.#at] === "0") this.#at++;
    else this.#digits("in numeric literal");
    if (this.#text[this.#at] === ".") {
      this.#at++;
      this.#digits("after decimal point in numeric literal");
    }
    if (this.#is("eE")) {
      this.#at++;
      if (this.#is("+-")) this.#at++;
      this.#digits("in exponent of numeric literal");
    }
  }

  #digits(where: string): void {
    if (!this.#is(digits)) this.#fail(where);
    while (this.#is(digits)) this.#at++;
  }

  #string(): void {
    for (this.#at++; this.#text[this.#at] !== '"'; this.#at++) {
      if (this.#at >= this.#text.length || this.#text.charCodeAt(this.#at) < 0x20) {
        this.#fail("in string literal");
      }
      if (this.#text[this.#at] === "\\") this.#escape();
    }
    this.#at++;
  }

  /** Ends on the last character of the escape. */
  #escape(): void {
    this.#at++;
    if (!this.#is('bfnrt\\/"u')) this.#fail("in string escape code");
    if (this.#text[this.#at] !== "u") return;
    for (let i = 0; i < 4; i++) {
      this.#at++;
      if (!this.#is("0123456789abcdefABCDEF")) this.#fail("in \\u hexadecimal character escape");
    }
  }

  #space(): void {
    while (this.#is(" \t\r\n")) this.#at++;
  }

  #is(chars: string): boolean {
    const char = this.#text[this.#at];
    return char !== undefined && chars.includes(char);
  }

  #fail(where: string): never {
    const code = this.#text.codePointAt(this.#at);
    const message = code === undefined ? endOfInput : `invalid character ${quoted(code)} ${where}`;
    throw new Mistake(message, this.#at);
  }
}

/** Go looks at bytes: of a longer character it shows the first one. */
function quoted(code: number): string {
  if (code === 0x27) return "'\\''";
  if (code === 0x22) return "'\"'";
  return `'${goQuote(String.fromCharCode(firstByte(code))).slice(1, -1)}'`;
}

function firstByte(code: number): number {
  if (code < 0x80) return code;
  if (code < 0x800) return 0xc0 | (code >> 6);
  return code < 0x1_0000 ? 0xe0 | (code >> 12) : 0xf0 | (code >> 18);
}
