// A text that is not what it should be. Says where, and never what is there: it may be a Secret.

export class FormatError extends Error {
  override readonly name = "FormatError";

  /** `what`: a rule, in words that quote nothing. */
  constructor(what: string, at?: { readonly line: number; readonly column: number }) {
    super(at === undefined ? what : `line ${at.line}, column ${at.column}: ${what}`);
  }
}

/** Counted from 1, as editors do. */
export function placeIn(
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return { line, column: offset - before.lastIndexOf("\n") };
}
