// The words of a label selector. Blanks separate; the symbols =, ==, !=, !, (, ), <, > and the comma also do.

export type LabelToken =
  | { readonly is: "identifier"; readonly text: string }
  | { readonly is: "symbol"; readonly text: string }
  | { readonly is: "end"; readonly text: "" };

const symbols = "=!(),><";
const blanks = " \t\r\n";
const keywords: ReadonlySet<string> = new Set(["in", "notin"]);

/** Whether a token can stand where an operator is expected: `in` and `notin` are words otherwise. */
export function isKeyword(token: LabelToken): boolean {
  return token.is === "identifier" && keywords.has(token.text);
}

/** Ends with "end", which also a NUL between two words brings about. */
export function tokensOf(text: string): readonly LabelToken[] {
  const tokens: LabelToken[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === "\0") break;
    if (blanks.includes(character)) {
      at++;
      continue;
    }
    const symbol = symbols.includes(character) ? symbolAt(text, at) : undefined;
    const word = symbol ?? wordAt(text, at);
    tokens.push({ is: symbol === undefined ? "identifier" : "symbol", text: word });
    at += word.length;
    // A NUL right after a word separates, as it does in the API.
    if (symbol === undefined && text[at] === "\0") at++;
  }
  tokens.push({ is: "end", text: "" });
  return tokens;
}

function symbolAt(text: string, at: number): string {
  const two = text.slice(at, at + 2);
  return two === "==" || two === "!=" ? two : two.charAt(0);
}

function wordAt(text: string, at: number): string {
  let end = at;
  while (end < text.length && !isSeparator(text.charAt(end))) end++;
  return text.slice(at, end);
}

function isSeparator(character: string): boolean {
  return character === "\0" || blanks.includes(character) || symbols.includes(character);
}
