// INI, of which there is no standard: what is written here is what all readers agree on. Keys are "key" or "section/key" on the inside. A value that would be read
// differently by some is put in double quotes; one that no line can hold is refused.

import { MakeError } from "./make-error.ts";

/** What has no section comes first; sections in the order in which they appear. */
export function iniText(all: ReadonlyMap<string, string>): string {
  const sections = new Map<string, string[]>([["", []]]);
  for (const [path, value] of all) {
    const slash = path.lastIndexOf("/");
    const section = slash === -1 ? "" : path.slice(0, slash);
    const lines = sections.get(section) ?? [];
    sections.set(section, lines);
    lines.push(line(path, path.slice(slash + 1), value));
    if (/[\]\r\n]/.test(section)) throw new MakeError(`"${section}" cannot be a section of INI`);
  }
  return [...sections]
    .filter(([, lines]) => lines.length > 0)
    .map(([section, lines]) => (section === "" ? "" : `[${section}]\n`) + lines.join(""))
    .join("\n");
}

function line(path: string, key: string, value: string): string {
  if (!/^[^\s=:;#[\]"]+$/.test(key)) throw new MakeError(`"${path}" cannot be a key of INI`);
  if (/[\r\n]/.test(value))
    throw new MakeError(`the value of "${path}" has a line end, which INI cannot hold`);
  const isPlain = value !== "" && !/^\s|\s$|[;#"'\\]/.test(value);
  return `${key} = ${isPlain || value === "" ? value : `"${value.replace(/[\\"]/g, "\\$&")}"`}\n`.replace(
    " = \n",
    " =\n",
  );
}

export function* parsedIni(text: string, address: string): Generator<[string, string]> {
  let section = "";
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const trimmed = raw.trim();
    if (trimmed === "" || /^[;#]/.test(trimmed)) continue;
    const header = /^\[([^\]]+)\]\s*(?:[;#].*)?$/.exec(trimmed)?.[1];
    if (header !== undefined) {
      section = header.trim();
      continue;
    }
    const [, key, value] = /^([^=:]+?)\s*[=:]\s*(.*)$/.exec(trimmed) ?? [];
    if (key === undefined || value === undefined) {
      throw new MakeError(`${address}:${index + 1}: expected "key = value" or "[section]"`);
    }
    yield [section === "" ? key : `${section}/${key}`, unquoted(value)];
  }
}

function unquoted(value: string): string {
  const inner = /^"((?:[^"\\]|\\.)*)"\s*(?:[;#].*)?$/.exec(value)?.[1];
  if (inner !== undefined) return inner.replace(/\\(["\\])/g, "$1");
  return value.replace(/\s[;#].*$/, "").trimEnd();
}
