// JSON with errors that name a place and never quote the text around it, as the errors of
// JSON.parse do. The place is found by a small scanner, which runs only after JSON.parse has failed.

const characters = String.raw`[^"\\\x00-\x1f]*`;
const string = String.raw`"${characters}(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})${characters})*"`;
const scalar = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null`;
const token = new RegExp(
  String.raw`[ \t\n\r]*(?:(?<mark>[{}[\],:])|(?<string>${string})|(?:${scalar}))`,
  "y",
);
const blank = /[ \t\n\r]*/y;

// What may come in which state, and the state after it. `after`: a value is complete; what follows
// depends on what it is in.
const value = { string: "after", scalar: "after", "{": "firstKey", "[": "firstValue" };
const opening = ["{", "["];
const closing = ["}", "]"];
/** @type {Readonly<Record<string, Readonly<Record<string, string>>>>} */
const grammar = {
  value,
  firstValue: { ...value, "]": "after" },
  firstKey: { string: "colon", "}": "after" },
  key: { string: "colon" },
  colon: { ":": "value" },
  "after in {": { ",": "key", "}": "after" },
  "after in [": { ",": "value", "]": "after" },
};

/** @param {string} text @returns {unknown} */
export function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    // No cause: its message quotes the content, which may be a secret.
    const at = errorOffset(text);
    const lines = text.slice(0, at).split("\n");
    const column = (lines.at(-1) ?? "").length + 1;
    throw new SyntaxError(
      `not valid JSON at line ${lines.length}, column ${column}${at >= text.length ? ", where it ends too early" : ""}`,
    );
  }
}

/**
 * Where JSON stops being JSON.
 * @param {string} text
 */
function errorOffset(text) {
  /** @type {string[]} */
  const open = [];
  let state = "value";
  for (let at = 0; ; at = token.lastIndex) {
    blank.lastIndex = at;
    const start = at + (blank.exec(text)?.[0].length ?? 0);
    const kind = kindOfToken(text, at);
    const next = grammar[state]?.[kind];
    if (next === undefined) return start;
    if (opening.includes(kind)) open.push(kind);
    if (closing.includes(kind)) open.pop();
    state = next === "after" ? `after in ${open.at(-1)}` : next;
  }
}

/**
 * @param {string} text
 * @param {number} at
 */
function kindOfToken(text, at) {
  token.lastIndex = at;
  const groups = token.exec(text)?.groups;
  if (groups === undefined) return "none";
  return groups["mark"] ?? (groups["string"] === undefined ? "scalar" : "string");
}
