// A table for people: columns as wide as what is in them, and two spaces between. Where the terminal is too narrow the columns that may be
// shortened give way, the widest first.

import { type Colour, cutOff, type Look, padded, painted, shortened, widthOf } from "./look.ts";

export interface TextColumn {
  readonly name: string;
  /** May lose what is in its middle, or at its end, down to this width. */
  readonly shrinks?: { readonly to: number; readonly from: "middle" | "end" };
}

export interface TextCell {
  readonly text: string;
  readonly colour?: Colour | undefined;
}

const GAP = 2;

/** Lines without an end; the first has the names. A column without anything in it is left out. */
export function textTable(
  look: Look,
  columns: readonly TextColumn[],
  rows: readonly (readonly TextCell[])[],
): readonly string[] {
  const shown = columns.flatMap((column, index) =>
    rows.some((row) => row[index]?.text !== "") ? [{ column, index }] : [],
  );
  const natural = shown.map(({ column, index }) =>
    Math.max(widthOf(column.name), ...rows.map((row) => widthOf(row[index]?.text ?? ""))),
  );
  const widths = fitted(
    natural,
    shown.map(({ column }) => column),
    look.columns,
  );
  const line = (cells: readonly TextCell[]): string =>
    cells
      .map(({ text, colour }, at) => {
        const width = widths[at] ?? 0;
        const cut = shown[at]?.column.shrinks?.from === "end" ? cutOff : shortened;
        const fitting = cut(look, text, width);
        const ending = at === cells.length - 1 ? fitting : padded(fitting, width);
        return colour === undefined
          ? ending
          : painted(look, colour, fitting) + ending.slice(fitting.length);
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  const header = line(shown.map(({ column }) => ({ text: column.name })));
  const body = rows.map((row) => line(shown.map(({ index }) => row[index] ?? { text: "" })));
  return [painted(look, "dim", header), ...body];
}

function fitted(
  natural: readonly number[],
  columns: readonly TextColumn[],
  room: number | undefined,
): readonly number[] {
  const widths = [...natural];
  if (room === undefined) return widths;
  const total = (): number =>
    widths.reduce((sum, width) => sum + width, GAP * Math.max(widths.length - 1, 0));
  while (total() > room) {
    const widest = widestOf(widths, columns);
    if (widest === undefined) return widths;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** Of those that can still shrink. */
function widestOf(widths: readonly number[], columns: readonly TextColumn[]): number | undefined {
  const able = [...widths.entries()].filter(
    ([at, width]) => width > (columns[at]?.shrinks?.to ?? Number.POSITIVE_INFINITY),
  );
  return able.toSorted(([, one], [, other]) => other - one)[0]?.[0];
}
