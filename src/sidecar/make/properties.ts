// Java's .properties, as java.util.Properties reads them: separators in keys, leading blanks and control characters are escaped, and what is not Latin-1 as \uXXXX.

export function propertiesLine(key: string, value: string): string {
  return `${escaped(key).replace(/[ :=#!]/g, "\\$&")}=${escaped(value).replace(/^ /, "\\ ")}\n`;
}

const NAMES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\f": "\\f",
};

function escaped(text: string): string {
  return text.replace(
    /[^ -~]|\\/g,
    (sign) => NAMES[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Comments (#, !), continued lines, "=", ":" or a blank between key and value. Everything is some property: nothing can be wrong. */
export function* parsedProperties(text: string): Generator<[string, string]> {
  for (const line of logicalLines(text)) {
    const end = keyEnd(line);
    const value = line.slice(end).replace(/^[ \t\f]*[=:]?[ \t\f]*/, "");
    yield [unescaped(line.slice(0, end)), unescaped(value)];
  }
}

function* logicalLines(text: string): Generator<string> {
  let line = "";
  let isContinued = false;
  for (const natural of text.split(/\r\n|\r|\n/)) {
    const part = natural.replace(/^[ \t\f]+/, "");
    if (!isContinued && (part === "" || part.startsWith("#") || part.startsWith("!"))) continue;
    const backslashes = /\\*$/.exec(part)?.[0].length ?? 0;
    isContinued = backslashes % 2 === 1;
    line += isContinued ? part.slice(0, -1) : part;
    if (isContinued) continue;
    yield line;
    line = "";
  }
  if (line !== "") yield line;
}

function keyEnd(line: string): number {
  for (let at = 0; at < line.length; at++) {
    if (line[at] === "\\") at++;
    else if (" \t\f=:".includes(line[at] ?? "")) return at;
  }
  return line.length;
}

const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", f: "\f" };

function unescaped(text: string): string {
  return text.replace(/\\(?:u([\da-fA-F]{4})|([\s\S]))/g, (_, hex?: string, sign?: string) =>
    hex === undefined
      ? (CONTROLS[sign ?? ""] ?? sign ?? "")
      : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
