// Figures: one JSON line each for machines, a table at the end for people.

export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  /** The same work by a plain program, in the same run. */
  readonly baseline?: number;
  /** What we want: `ratio <= 1.5`, `< 20`; a figure without an aim is for information. */
  readonly aim?: { readonly text: string; readonly met: boolean };
}

const figures: Figure[] = [];

export function report(figure: Figure): void {
  figures.push(figure);
  const ratio = ratioOf(figure);
  console.log(
    JSON.stringify({ ...figure, ...(ratio === undefined ? {} : { ratio: round(ratio) }) }),
  );
}

/** Aims are told, not enforced: this machine may be busy with something else. */
export function printTable(): void {
  const head = ["figure", "unit", "ours", "baseline", "ratio", "aim", ""];
  const rows = figures.map((figure) => [
    figure.name,
    figure.unit,
    String(round(figure.ours)),
    figure.baseline === undefined ? "" : String(round(figure.baseline)),
    ratioOf(figure)?.toFixed(2) ?? "",
    figure.aim?.text ?? "",
    figure.aim === undefined ? "" : figure.aim.met ? "met" : "MISSED",
  ]);
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => (row[column] ?? "").length)),
  );
  console.log();
  for (const row of [head, ...rows]) {
    const cells = row.map((cell, column) =>
      column < 2 || column > 4
        ? cell.padEnd(widths[column] ?? 0)
        : cell.padStart(widths[column] ?? 0),
    );
    console.log(cells.join("  ").trimEnd());
  }
}

export function ratioAim(max: number, ours: number, baseline: number): NonNullable<Figure["aim"]> {
  return { text: `ratio <= ${max}`, met: ours / baseline <= max };
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function ratioOf({ ours, baseline }: Figure): number | undefined {
  return baseline === undefined ? undefined : ours / baseline;
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
