// The built-in dotenv reader. A line that is not understood is an error and not skipped: a typo
// should keep the last good version, not silently lose a setting.

const assignment = /[^\S\n]*(?:export[^\S\n]+)?([A-Za-z_][\w.-]*)[^\S\n]*=/y;
const blank = /[^\S\n]*(?:#[^\n]*)?(?:\n|$)/y;
const space = /[^\S\n]*/y;
// A comment needs a blank before its `#`; without one, the `#` belongs to the value.
const comment = /[^\S\n]#/;

/** @type {Readonly<Record<string, string>>} */
const escapes = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", $: "$" };

/**
 * Later assignments win. Does not expand variables.
 * @type {typeof import("./index.d.ts").parseDotenv}
 */
export const parseDotenv = (text) => {
  const source = text.replaceAll("\r\n", "\n");
  /** @type {Map<string, string>} */
  const values = new Map();
  let at = 0;

  /** @param {RegExp} pattern */
  const take = (pattern) => {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match !== null) at += match[0].length;
    return match;
  };

  while (at < source.length) {
    if (take(blank)) continue;
    const start = at;
    const key = take(assignment)?.[1];
    if (key === undefined) throw mistake("expected KEY=value", source, start);
    const value = valueAt(source, at);
    if (value === undefined) throw mistake("the quote is never closed", source, start);
    values.set(key, value.text);
    at = value.end;
    if (at < source.length && !take(blank)) {
      throw mistake("expected the end of the line after the closing quote", source, start);
    }
  }
  return Object.fromEntries(values);
};

/**
 * @param {string} what
 * @param {string} source
 * @param {number} at
 */
function mistake(what, source, at) {
  return new SyntaxError(`line ${source.slice(0, at).split("\n").length}: ${what}`);
}

/**
 * By hand and not by one pattern: a pattern that repeats a group overflows on a value of megabytes.
 * @param {string} source
 * @param {number} at behind the equals sign
 * @returns {{ text: string, end: number } | undefined} undefined when a quote is not closed
 */
function valueAt(source, at) {
  space.lastIndex = at;
  const start = at + (space.exec(source)?.[0].length ?? 0);
  const quote = source[start];
  if (quote === '"' || quote === "'") {
    const close = quote === "'" ? source.indexOf("'", start + 1) : closingQuote(source, start + 1);
    if (close === -1) return undefined;
    const raw = source.slice(start + 1, close);
    return { text: quote === "'" ? raw : unescaped(raw), end: close + 1 };
  }
  const newline = source.indexOf("\n", at);
  const line = source.slice(at, newline === -1 ? source.length : newline);
  const text = line.slice(0, comment.exec(line)?.index);
  return { text: text.trim(), end: at + text.length };
}

/**
 * @param {string} source
 * @param {number} from
 */
function closingQuote(source, from) {
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === '"') return at;
    if (source[at] === "\\") at += 1;
  }
  return -1;
}

/** @param {string} raw */
function unescaped(raw) {
  return raw.replace(/\\([\s\S])/g, (whole, letter) => escapes[String(letter)] ?? whole);
}
