// Globs over the names of a source's files: "*" and "?" stay within a directory, "**" does not, "[abc]", "{a,b}", "\" before a sign that means itself.

const MAGIC = /[*?[{\\]/;

export function isGlob(pattern: string): boolean {
  return MAGIC.test(pattern);
}

/** The directories in front that are no pattern, with the last slash: "a/b/" of "a/b/*.yaml". */
export function fixedDirectory(pattern: string): string {
  const magic = pattern.search(MAGIC);
  return pattern.slice(0, pattern.lastIndexOf("/", magic === -1 ? undefined : magic) + 1);
}

/** Matches whole names. Never throws: a bracket that is not closed means itself. */
export function globExpression(pattern: string): RegExp {
  let source = "";
  let braces = 0;
  for (let at = 0; at < pattern.length; ) {
    const { text, length, depth } = piece(pattern, at, braces);
    source += text;
    at += length;
    braces = depth;
  }
  // A brace that is not closed would be an open group.
  return new RegExp(`^(?:${source}${")".repeat(braces)})$`, "su");
}

interface Piece {
  readonly text: string;
  readonly length: number;
  readonly depth: number;
}

function piece(pattern: string, at: number, depth: number): Piece {
  const rest = pattern.slice(at);
  const one = (text: string, length = 1, next = depth): Piece => ({ text, length, depth: next });
  if (rest.startsWith("**")) return rest[2] === "/" ? one("(?:.*/)?", 3) : one(".*", 2);
  const sign = String.fromCodePoint(rest.codePointAt(0) ?? 0);
  switch (sign) {
    case "*":
      return one("[^/]*");
    case "?":
      return one("[^/]");
    case "{":
      return one("(?:", 1, depth + 1);
    case "}":
    case ",":
      return inBraces(sign, depth);
    case "[":
      return bracket(rest, depth);
    case "\\":
      return one(escaped(rest.slice(1, 2)), Math.min(2, rest.length));
    default:
      return one(escaped(sign), sign.length);
  }
}

function inBraces(sign: "}" | ",", depth: number): Piece {
  if (depth === 0) return { text: escaped(sign), length: 1, depth };
  return sign === ","
    ? { text: "|", length: 1, depth }
    : { text: ")", length: 1, depth: depth - 1 };
}

function bracket(rest: string, depth: number): Piece {
  const close = rest.indexOf("]", 2);
  if (close === -1) return { text: "\\[", length: 1, depth };
  const isNegated = rest[1] === "!" || rest[1] === "^";
  const members = rest.slice(isNegated ? 2 : 1, close).replace(/[\\[\]^&~|]/g, "\\$&");
  try {
    const text = isNegated ? `[^/${members}]` : `[${members}]`;
    new RegExp(text, "u");
    return { text, length: close + 1, depth };
  } catch {
    return { text: "\\[", length: 1, depth }; // Such as "[z-a]": no set, so it means itself.
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
