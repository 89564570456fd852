// `a` may be a value or, if `:` follows, a key. What may still become a key is remembered here: one thing for the blocks and
// one for every open bracket.

import type { YamlCursor } from "./yaml-cursor.ts";

/** In characters, up to the `:`, which has to be in the same line as well. */
const maxKeyLength = 1024;
/** Of brackets. */
const maxDepth = 10_000;

export interface PossibleKey {
  /** The number of its first token. */
  readonly token: number;
  readonly line: number;
  readonly column: number;
}

interface Candidate extends PossibleKey {
  readonly index: number;
  /** Nothing but a key can stand in its column. */
  readonly isRequired: boolean;
  isOpen: boolean;
}

export class PossibleKeys {
  readonly #cursor: YamlCursor;
  #current: Candidate;
  /** Outside of the innermost bracket. */
  readonly #outer: Candidate[] = [];
  readonly #byToken = new Map<number, Candidate>();

  constructor(cursor: YamlCursor) {
    this.#cursor = cursor;
    this.#current = this.#candidate({ token: 0, isRequired: false, isOpen: false });
  }

  get inBrackets(): boolean {
    return this.#outer.length > 0;
  }

  /** What begins here, with this token, may be a key. */
  begin(token: number, isRequired: boolean): void {
    this.giveUp();
    this.#current = this.#candidate({ token, isRequired, isOpen: true });
    this.#byToken.set(token, this.#current);
  }

  /** No `:` can come any more that would make it a key. */
  giveUp(): void {
    const { isOpen, isRequired } = this.#current;
    if (isOpen && isRequired) this.#failWithoutValue();
    if (isOpen) this.#settle();
  }

  /** What the `:` at the cursor makes a key; undefined if nothing could be one. */
  take(): PossibleKey | undefined {
    if (!this.#isPossible(this.#current)) return undefined;
    this.#settle();
    return this.#current;
  }

  /** Whether something may yet have to be put before this token. */
  isHeldBack(token: number): boolean {
    const key = this.#byToken.get(token);
    return key !== undefined && this.#isPossible(key);
  }

  /** With the number of the bracket. */
  openBracket(token: number): void {
    this.#outer.push(this.#current);
    this.#current = this.#candidate({ token, isRequired: false, isOpen: false });
    if (this.#outer.length > maxDepth) this.#cursor.fail(`exceeded max depth of ${maxDepth}`);
  }

  closeBracket(): void {
    const outer = this.#outer.pop();
    if (outer === undefined) return;
    // Go's parser lets go of an empty pair of brackets here, whose number this still is: `[]` and `{}` are hardly ever keys.
    this.#byToken.delete(this.#current.token);
    this.#current = outer;
  }

  #isPossible(key: Candidate): boolean {
    const { line, index } = this.#cursor;
    if (!key.isOpen) return false;
    if (key.line === line && index - key.index <= maxKeyLength) return true;
    if (key.isRequired) this.#failWithoutValue();
    key.isOpen = false;
    return false;
  }

  #settle(): void {
    this.#current.isOpen = false;
    this.#byToken.delete(this.#current.token);
  }

  #candidate(given: Pick<Candidate, "token" | "isRequired" | "isOpen">): Candidate {
    const { line, column, index } = this.#cursor;
    return { ...given, line, column, index };
  }

  #failWithoutValue(): never {
    this.#cursor.fail("could not find expected ':'");
  }
}
