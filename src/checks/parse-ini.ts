// INI as most programs agree on it: sections, one "name = value" or "name: value" in a line, whole lines of comment. Values before the
// first section belong to none. Nothing is said twice, and nothing is left over.

import { FormatError } from "./format-error.ts";

type Section = Map<string, string>;
type Place = ConstructorParameters<typeof FormatError>[1];

const SECTION = /^\[([^\]]+)\]\s*(?:[;#].*)?$/;
const PAIR = /^([^=:]*[^=:\s])\s*[=:]\s*(.*)$/;
const COMMENT = /^(?:[;#].*)?$/;

/** Sections by name, and beside them the values of no section. */
export function parseIni(text: string): Record<string, string | Record<string, string>> {
  const outside: Section = new Map();
  const sections = new Map<string, Section>();
  let current = outside;
  for (const [i, raw] of text.split(/\r\n|\n|\r/).entries()) {
    const line = raw.trim();
    const at = { line: i + 1, column: raw.length - raw.trimStart().length + 1 };
    if (COMMENT.test(line)) continue;
    const name = SECTION.exec(line)?.[1]?.trim();
    if (name === undefined) addPair(current, line, at);
    else {
      if (sections.has(name)) throw new FormatError("a section is given twice", at);
      current = new Map();
      sections.set(name, current);
    }
  }
  const named = [...sections].map(([name, values]) => [name, Object.fromEntries(values)] as const);
  return Object.fromEntries<string | Record<string, string>>([...outside, ...named]);
}

function addPair(section: Section, line: string, at: Place): void {
  const [, name, value = ""] = line.startsWith("[") ? [] : (PAIR.exec(line) ?? []);
  if (name === undefined) throw new FormatError("neither a section nor a value", at);
  if (section.has(name)) throw new FormatError("a value is given twice", at);
  section.set(name, unquoted(value));
}

function unquoted(value: string): string {
  const quote = value[0];
  const isQuoted = value.length > 1 && (quote === '"' || quote === "'") && value.endsWith(quote);
  return isQuoted ? value.slice(1, -1) : value;
}
