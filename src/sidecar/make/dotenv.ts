// dotenv that a POSIX shell reads (`set -a; . file`) as well as the usual libraries do: quotes only where needed, single ones first, because nothing has a
// meaning in them; no escapes for line ends, which not all readers know, but line ends themselves.

import { MakeError } from "./make-error.ts";

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function dotenvLine(key: string, value: string): string {
  if (!NAME.test(key)) {
    throw new MakeError(
      `"${key}" cannot be a variable: letters, digits and "_" only, and no digit first`,
    );
  }
  return `${key}=${quoted(value)}\n`;
}

function quoted(value: string): string {
  if (/^[\w.,:/@%+-]*$/.test(value)) return value;
  if (!value.includes("'")) return `'${value}'`;
  return `"${value.replace(/[\\"$`]/g, "\\$&")}"`;
}

const ASSIGNMENT = /[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*/y;
const BLANK = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/** A line that is not understood is an error and not left out. The value is never in the message. */
export function* parsedDotenv(text: string, address: string): Generator<[string, string]> {
  const source = text.replaceAll("\r\n", "\n");
  for (let at = 0; at < source.length; ) {
    BLANK.lastIndex = at;
    if (BLANK.test(source)) {
      at = BLANK.lastIndex;
      continue;
    }
    ASSIGNMENT.lastIndex = at;
    const key = ASSIGNMENT.exec(source)?.[1];
    const line = `${address}:${source.slice(0, at).split("\n").length}`;
    if (key === undefined) throw new MakeError(`${line}: expected KEY=value`);
    const { value, end } = valueAt(source, ASSIGNMENT.lastIndex, line);
    yield [key, value];
    at = end;
  }
}

interface Value {
  readonly value: string;
  readonly end: number;
}

function valueAt(source: string, start: number, line: string): Value {
  const quote = source[start];
  if (quote !== "'" && quote !== '"') return unquotedAt(source, start);
  const close = quote === "'" ? source.indexOf("'", start + 1) : closingQuote(source, start + 1);
  if (close === -1) throw new MakeError(`${line}: the quote is never closed`);
  BLANK.lastIndex = close + 1;
  if (!BLANK.test(source)) throw new MakeError(`${line}: something follows the closing quote`);
  const raw = source.slice(start + 1, close);
  return { value: quote === "'" ? raw : unescaped(raw), end: BLANK.lastIndex };
}

function unquotedAt(source: string, start: number): Value {
  const newline = source.indexOf("\n", start);
  const end = newline === -1 ? source.length : newline;
  // A comment needs a blank before its "#"; without one, the "#" belongs to the value.
  const value = source
    .slice(start, end)
    .replace(/(?:^|[ \t])#.*$/s, "")
    .trim();
  return { value, end: Math.min(end + 1, source.length) };
}

function closingQuote(source: string, from: number): number {
  for (let at = from; at < source.length; at++) {
    if (source[at] === '"') return at;
    if (source[at] === "\\") at++;
  }
  return -1;
}

function unescaped(raw: string): string {
  return raw.replace(/\\([\s\S])/g, (whole, sign: string) =>
    '"\\$`'.includes(sign) ? sign : (ESCAPES[sign] ?? whole),
  );
}
