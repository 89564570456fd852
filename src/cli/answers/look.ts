// What the place that text goes to can show. Everything is said in words as well: colours and lines only make it quicker to read.

export interface Look {
  /** Undefined: lines may be as long as they like, as in a pipe. */
  readonly columns: number | undefined;
  readonly hasColour: boolean;
  readonly isUnicode: boolean;
}

export type Colour = "green" | "yellow" | "red" | "magenta" | "cyan" | "dim" | "bold";

const CODES: Readonly<Record<Colour, number>> = {
  green: 32,
  yellow: 33,
  red: 31,
  magenta: 35,
  cyan: 36,
  dim: 2,
  bold: 1,
};

export function painted({ hasColour }: Look, colour: Colour, text: string): string {
  return hasColour && text !== "" ? `\x1b[${CODES[colour]}m${text}\x1b[0m` : text;
}

/** In characters: good enough for all but East Asian ones. */
export function widthOf(text: string): number {
  return Array.from(text).length;
}

/** With its middle left out if it is too long: names differ at both ends. */
export function shortened(look: Look, text: string, width: number): string {
  const chars = Array.from(text);
  if (chars.length <= width) return text;
  const gap = look.isUnicode ? "…" : "~";
  const kept = Math.max(width - 1, 0);
  const head = Math.ceil(kept / 2);
  return chars.slice(0, head).join("") + gap + chars.slice(chars.length - (kept - head)).join("");
}

/** With its end left out if it is too long. */
export function cutOff(look: Look, text: string, width: number): string {
  const chars = Array.from(text);
  if (chars.length <= width) return text;
  return chars.slice(0, Math.max(width - 1, 0)).join("") + (look.isUnicode ? "…" : "~");
}

export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(width - widthOf(text), 0));
}

/** Lines of at most `columns` characters; the later ones begin with `indent`. Words that are longer stay whole. */
export function wrapped(look: Look, text: string, indent: string): string {
  const { columns } = look;
  if (columns === undefined || widthOf(text) <= columns) return text;
  const lines: string[] = [];
  let line = "";
  const lead = /^ */.exec(text)?.[0] ?? "";
  for (const word of text.trimStart().split(" ")) {
    const start = lines.length === 0 ? lead : indent;
    if (line === "") line = start + word;
    else if (widthOf(line) + 1 + widthOf(word) <= columns) line += ` ${word}`;
    else {
      lines.push(line);
      line = indent + word;
    }
  }
  return [...lines, line].join("\n");
}
