// What starts with `&`, `*`, `!` or `%`: anchors, aliases, tags and directives.

import { isBlank, isGap, isWord, type YamlCursor } from "./yaml-cursor.ts";

/** Returns the name. The cursor is at the `&` or `*`. */
export function readAnchor(cursor: YamlCursor): string {
  cursor.step();
  const name = cursor.word();
  const char = cursor.char();
  if (name === "" || !(isGap(char) || "?:,]}%@`".includes(char))) {
    cursor.fail("did not find expected alphabetic or numeric character");
  }
  return name;
}

/** Returns the handle, which has to be known: `!name!`, `!!`, or `!` if it has no handle of its own. */
export function readTag(cursor: YamlCursor): string {
  const handle = cursor.char(1) === "<" ? readVerbatimTag(cursor) : readShortTag(cursor);
  if (!isGap(cursor.char())) cursor.fail("did not find expected whitespace or line break");
  return handle;
}

function readVerbatimTag(cursor: YamlCursor): string {
  cursor.step(2);
  stepUri(cursor);
  if (cursor.char() !== ">") cursor.fail("did not find the expected '>'");
  cursor.step();
  return "!";
}

function readShortTag(cursor: YamlCursor): string {
  const handle = readHandle(cursor);
  if (handle.length > 1 && handle.endsWith("!")) {
    stepUri(cursor);
    return handle;
  }
  // Not a handle but the beginning of the tag, or all of it.
  stepUriCharacters(cursor);
  return "!";
}

function readHandle(cursor: YamlCursor): string {
  if (cursor.char() !== "!") cursor.fail("did not find expected '!'");
  cursor.step();
  const name = cursor.word();
  if (cursor.char() !== "!") return `!${name}`;
  cursor.step();
  return `!${name}!`;
}

function stepUri(cursor: YamlCursor): void {
  const from = cursor.index;
  stepUriCharacters(cursor);
  if (cursor.index === from) cursor.fail("did not find expected tag URI");
}

function stepUriCharacters(cursor: YamlCursor): void {
  for (let char = cursor.char(); ; char = cursor.char()) {
    if (char === "%") stepEscapedCharacter(cursor);
    else if (isWord(char) || (char !== "" && ";/?:@&=+$,.!~*'()[]".includes(char))) cursor.step();
    else return;
  }
}

/** The bytes of one character in UTF-8, as `%C3%A9`. */
function stepEscapedCharacter(cursor: YamlCursor): void {
  const first = readEscapedByte(cursor);
  const more = [0x80, 0x40, 0x20, 0x10, 0x08].findIndex((bit) => (first & bit) === 0);
  // One bit alone is for the bytes that follow.
  const width = more === 0 ? 1 : more;
  if (more === 1 || more === -1) cursor.fail("found an incorrect leading UTF-8 octet");
  cursor.step(3);
  for (let i = 1; i < width; i++) {
    if ((readEscapedByte(cursor) & 0xc0) !== 0x80) {
      cursor.fail("found an incorrect trailing UTF-8 octet");
    }
    cursor.step(3);
  }
}

function readEscapedByte(cursor: YamlCursor): number {
  const octet = cursor.char() + cursor.char(1) + cursor.char(2);
  if (!/^%[\da-f]{2}$/i.test(octet)) cursor.fail("did not find URI escaped octet");
  return Number.parseInt(octet.slice(1), 16);
}

export interface YamlDirective {
  readonly kind: "%YAML" | "%TAG";
  /** The version, or the handle. */
  readonly name: string;
}

/** The cursor is at the `%`; then after the line. */
export function readDirective(cursor: YamlCursor): YamlDirective {
  cursor.step();
  const name = cursor.word();
  if (name === "") cursor.fail("could not find expected directive name");
  if (!isGap(cursor.char())) cursor.fail("found unexpected non-alphabetical character");
  const directive = readDirectiveValue(cursor, name);
  cursor.stepRestOfLine();
  return directive;
}

function readDirectiveValue(cursor: YamlCursor, name: string): YamlDirective {
  if (name === "YAML") return { kind: "%YAML", name: readVersion(cursor) };
  if (name === "TAG") return { kind: "%TAG", name: readTagDirective(cursor) };
  return cursor.fail("found unknown directive name");
}

function readVersion(cursor: YamlCursor): string {
  cursor.stepWhile(isBlank);
  const major = readVersionNumber(cursor);
  if (cursor.char() !== ".") cursor.fail("did not find expected digit or '.' character");
  cursor.step();
  return `${major}.${readVersionNumber(cursor)}`;
}

function readVersionNumber(cursor: YamlCursor): number {
  let digits = "";
  for (let char = cursor.char(); /^\d$/.test(char); char = cursor.char()) {
    digits += char;
    if (digits.length > 2) cursor.fail("found extremely long version number");
    cursor.step();
  }
  if (digits === "") cursor.fail("did not find expected version number");
  return Number(digits);
}

function readTagDirective(cursor: YamlCursor): string {
  cursor.stepWhile(isBlank);
  const handle = readHandle(cursor);
  if (handle !== "!" && !handle.endsWith("!")) cursor.fail("did not find expected '!'");
  if (!isBlank(cursor.char())) cursor.fail("did not find expected whitespace");
  cursor.stepWhile(isBlank);
  stepUri(cursor);
  if (!isGap(cursor.char())) cursor.fail("did not find expected whitespace or line break");
  return handle;
}
