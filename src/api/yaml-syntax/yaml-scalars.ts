// Goes over scalars without reading them: where does it end, and what is wrong with it?

import { isBlank, isBreak, isGap, isLineEnd, type YamlCursor } from "./yaml-cursor.ts";

export interface PlainContext {
  /** The column of the block around it, -1 at the top. */
  readonly indent: number;
  /** Whether it is within brackets, where indentation means nothing. */
  readonly inBrackets: boolean;
}

/** Returns whether it ended with a line: what follows may be a key then. */
export function stepPlain(cursor: YamlCursor, { indent, inBrackets }: PlainContext): boolean {
  let endsLine = false;
  while (!cursor.isAtDocumentMark() && cursor.char() !== "#") {
    if (stepPlainWord(cursor, inBrackets)) endsLine = false;
    if (!isBlank(cursor.char()) && !isBreak(cursor.char())) break;
    endsLine = stepPlainGap(cursor, { endsLine, indent });
    if (!inBrackets && cursor.column <= indent) break;
  }
  return endsLine;
}

function stepPlainWord(cursor: YamlCursor, inBrackets: boolean): boolean {
  const from = cursor.index;
  for (let char = cursor.char(); !isGap(char); char = cursor.char()) {
    if (char === ":" && isGap(cursor.char(1))) break;
    if (inBrackets && ",?[]{}".includes(char)) break;
    cursor.step();
  }
  return cursor.index > from;
}

function stepPlainGap(
  cursor: YamlCursor,
  { endsLine, indent }: { readonly endsLine: boolean; readonly indent: number },
): boolean {
  let isNewLine = endsLine;
  for (let char = cursor.char(); isBlank(char) || isBreak(char); char = cursor.char()) {
    if (isBreak(char)) {
      cursor.stepLine();
      isNewLine = true;
    } else {
      if (isNewLine && cursor.column <= indent && char === "\t") {
        cursor.fail("found a tab character that violates indentation");
      }
      cursor.step();
    }
  }
  return isNewLine;
}

/** The cursor is at the quote. */
export function stepQuoted(cursor: YamlCursor): void {
  const quote = cursor.char();
  cursor.step();
  for (;;) {
    if (cursor.isAtDocumentMark()) cursor.fail("found unexpected document indicator");
    if (cursor.char() === "") cursor.fail("found unexpected end of stream");
    while (!isGap(cursor.char()) && stepQuotedCharacter(cursor, quote));
    if (cursor.char() === quote) break;
    while (isBlank(cursor.char()) || isBreak(cursor.char())) {
      if (isBreak(cursor.char())) cursor.stepLine();
      else cursor.step();
    }
  }
  cursor.step();
}

/** Returns whether a word may go on after it. */
function stepQuotedCharacter(cursor: YamlCursor, quote: string): boolean {
  const char = cursor.char();
  if (char === quote) {
    if (quote !== "'" || cursor.char(1) !== "'") return false;
    cursor.step(2);
  } else if (quote === "'" || char !== "\\") {
    cursor.step();
  } else if (isBreak(cursor.char(1))) {
    cursor.step();
    cursor.stepLine();
    return false;
  } else {
    stepEscape(cursor);
  }
  return true;
}

const digitsAfter: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function stepEscape(cursor: YamlCursor): void {
  const kind = cursor.char(1);
  const digits = digitsAfter[kind] ?? 0;
  if (digits === 0 && (kind === "" || !"0abt\tnvfre \"'\\N_LP".includes(kind))) {
    cursor.fail("found unknown escape character");
  }
  cursor.step(2);
  let code = "";
  for (let i = 0; i < digits; i++) code += cursor.char(i) || " ";
  // Spelled as Go's parser spells it.
  if (!/^[\da-f]*$/i.test(code)) cursor.fail("did not find expected hexdecimal number");
  const value = Number.parseInt(code || "0", 16);
  if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff) {
    cursor.fail("found invalid Unicode character escape code");
  }
  cursor.step(digits);
}

/** Of the `|` or `>` at the cursor, with the column of the block around it. */
export function stepBlockScalar(cursor: YamlCursor, indent: number): void {
  cursor.step();
  const increment = stepBlockHeader(cursor);
  const column = stepEmptyLines(cursor, {
    given: increment === 0 ? 0 : Math.max(indent, 0) + increment,
    indent,
  });
  while (cursor.column === column && cursor.char() !== "") {
    cursor.stepWhile((char) => !isLineEnd(char));
    cursor.stepLine();
    stepEmptyLines(cursor, { given: column, indent });
  }
}

/** Returns the indentation that it asks for; 0 if the text decides. */
function stepBlockHeader(cursor: YamlCursor): number {
  const isChomping = (): boolean => cursor.char() === "+" || cursor.char() === "-";
  const hasChomping = isChomping();
  if (hasChomping) cursor.step();
  const char = cursor.char();
  const increment = /^\d$/.test(char) ? Number(char) : 0;
  if (char === "0") cursor.fail("found an indentation indicator equal to 0");
  if (increment > 0) cursor.step();
  if (increment > 0 && !hasChomping && isChomping()) cursor.step();
  cursor.stepRestOfLine();
  return increment;
}

/** Over lines with nothing but spaces, and the indentation of the next. Returns the column at which text is expected. */
function stepEmptyLines(
  cursor: YamlCursor,
  { given, indent }: { readonly given: number; readonly indent: number },
): number {
  let widest = 0;
  const isBefore = (): boolean => given === 0 || cursor.column < given;
  for (;;) {
    while (isBefore() && cursor.char() === " ") cursor.step();
    widest = Math.max(widest, cursor.column);
    if (isBefore() && cursor.char() === "\t") {
      cursor.fail("found a tab character where an indentation space is expected");
    }
    if (!isBreak(cursor.char())) break;
    cursor.stepLine();
  }
  return given === 0 ? Math.max(widest, indent + 1, 1) : given;
}
