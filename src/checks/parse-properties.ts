// Java's properties. Nearly everything is one; what is not: an escape that is cut short, and a key that is given twice, of which
// programs see only one.

import { FormatError } from "./format-error.ts";

interface Line {
  readonly text: string;
  readonly number: number;
}

const KEY_END = /(?<!\\)(?:\\\\)*([=:\s])/;
const BAD_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?![0-9a-fA-F]{4})/;

export function parseProperties(text: string): Record<string, string> {
  const values = new Map<string, string>();
  for (const { text: line, number } of logicalLines(text)) {
    if (BAD_ESCAPE.test(line)) {
      throw new FormatError("an escape needs four digits after \\u", { line: number, column: 1 });
    }
    const [key, value] = pairOf(line);
    if (values.has(key)) throw new FormatError("a key is given twice", { line: number, column: 1 });
    values.set(key, value);
  }
  return Object.fromEntries(values);
}

function pairOf(line: string): readonly [key: string, value: string] {
  const found = KEY_END.exec(line);
  if (found === null) return [unescaped(line), ""];
  const end = found.index + found[0].length - 1;
  const value = line.slice(end).replace(/^\s*[=:]?\s*/, "");
  return [unescaped(line.slice(0, end)), unescaped(value)];
}

/** A line that ends with an odd number of backslashes goes on in the next one. */
function* logicalLines(text: string): Generator<Line> {
  let open: { text: string; readonly number: number } | undefined;
  for (const [i, raw] of text.split(/\r\n|\n|\r/).entries()) {
    const line = raw.trimStart();
    if (open === undefined && (line === "" || line.startsWith("#") || line.startsWith("!"))) {
      continue;
    }
    open = { text: (open?.text ?? "") + line, number: open?.number ?? i + 1 };
    if (endsWithEscape(line)) {
      open.text = open.text.slice(0, -1);
      continue;
    }
    yield open;
    open = undefined;
  }
  if (open !== undefined) yield open;
}

function endsWithEscape(line: string): boolean {
  let backslashes = 0;
  while (line[line.length - 1 - backslashes] === "\\") backslashes++;
  return backslashes % 2 === 1;
}

const CONTROLS: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", f: "\f" };

function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (_, hex?: string, one?: string) =>
    hex === undefined
      ? (CONTROLS[one ?? ""] ?? one ?? "")
      : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
