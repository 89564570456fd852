// The built-in dotenv reader. A line that is not understood is an error and not skipped: a typo
// should keep the last good version, not silently lose a setting.

const assignment = /[^\S\n]*(?:export[^\S\n]+)?([A-Za-z_][\w.-]*)[^\S\n]*=[^\S\n]*/y;
const blank = /[^\S\n]*(?:#[^\n]*)?(?:\n|$)/y;
const doubleQuoted = /"([^"\\]*(?:\\[\s\S][^"\\]*)*)"/y;
const singleQuoted = /'([^']*)'/y;
// Ends at the line's end or at a comment, which needs a blank before its `#`.
const unquoted = /(?:(?![^\S\n]#)[^\n])*/y;

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
    const value = readValue(take, source[at]);
    if (value === undefined) throw mistake("the quote is never closed", source, start);
    values.set(key, value);
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
 * @param {(pattern: RegExp) => RegExpExecArray | null} take
 * @param {string | undefined} first
 * @returns {string | undefined} undefined when a quote is not closed
 */
function readValue(take, first) {
  if (first !== '"' && first !== "'") return (take(unquoted)?.[0] ?? "").trim();
  const quoted = take(first === '"' ? doubleQuoted : singleQuoted)?.[1];
  if (first === "'") return quoted;
  return quoted?.replace(/\\([\s\S])/g, (whole, letter) => escapes[String(letter)] ?? whole);
}
