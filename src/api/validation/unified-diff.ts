// The difference between two texts, line by line, as `diff -u` shows it: three lines of context, no file names.
//
// Which lines count as equal is decided by the longest run that both have, then by the longest runs before and after it.
// In texts of 200 lines or more, lines that make up over a percent of the second text do not start a run.

interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

interface Range {
  readonly aLow: number;
  readonly aHigh: number;
  readonly bLow: number;
  readonly bHigh: number;
}

const contextLines = 3;

/** "" if the texts are equal. */
export function unifiedDiff(before: string, after: string): string {
  const a = before.split("\n");
  const b = after.split("\n");
  const changes = changesBetween(matchesOf(a, b), a.length, b.length);
  return hunksOf(changes)
    .map((hunk) => showHunk(hunk, a, b))
    .join("");
}

function matchesOf(a: readonly string[], b: readonly string[]): Match[] {
  const places = placesOf(b);
  const matches: Match[] = [];
  const pending: Range[] = [{ aLow: 0, aHigh: a.length, bLow: 0, bHigh: b.length }];
  for (let range = pending.pop(); range !== undefined; range = pending.pop()) {
    const match = longestMatch(a, b, places, range);
    if (match.size === 0) continue;
    matches.push(match);
    pending.push(
      { aLow: range.aLow, aHigh: match.a, bLow: range.bLow, bHigh: match.b },
      {
        aLow: match.a + match.size,
        aHigh: range.aHigh,
        bLow: match.b + match.size,
        bHigh: range.bHigh,
      },
    );
  }
  return matches.sort((x, y) => x.a - y.a || x.b - y.b);
}

/** Where each line of the second text is; lines that are everywhere are left out. */
function placesOf(b: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [i, line] of b.entries()) {
    const at = places.get(line);
    if (at === undefined) places.set(line, [i]);
    else at.push(i);
  }
  if (b.length < 200) return places;
  const most = Math.floor(b.length / 100) + 1;
  for (const [line, at] of places) if (at.length > most) places.delete(line);
  return places;
}

function longestMatch(
  a: readonly string[],
  b: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  range: Range,
): Match {
  const { aLow, bLow, bHigh } = range;
  let best: Match = { a: aLow, b: bLow, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = aLow; i < range.aHigh; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i] ?? "") ?? []) {
      if (j < bLow || j >= bHigh) continue;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  return extend(best, { a, b, range });
}

/** Takes in equal lines on both sides that were left out for being everywhere. */
function extend(
  { a: startA, b: startB, size: length }: Match,
  of: { readonly a: readonly string[]; readonly b: readonly string[]; readonly range: Range },
): Match {
  const { aLow, aHigh, bLow, bHigh } = of.range;
  let [a, b, size] = [startA, startB, length];
  while (a > aLow && b > bLow && of.a[a - 1] === of.b[b - 1]) {
    a--;
    b--;
    size++;
  }
  while (a + size < aHigh && b + size < bHigh && of.a[a + size] === of.b[b + size]) size++;
  return { a, b, size };
}

/** The stretches between the matches. */
function changesBetween(matches: readonly Match[], aLength: number, bLength: number): Range[] {
  const changes: Range[] = [];
  let [aLow, bLow] = [0, 0];
  for (const { a, b, size } of [...matches, { a: aLength, b: bLength, size: 0 }]) {
    if (a > aLow || b > bLow) changes.push({ aLow, aHigh: a, bLow, bHigh: b });
    [aLow, bLow] = [a + size, b + size];
  }
  return changes;
}

/** Changes whose context touches are shown together. */
function hunksOf(changes: readonly Range[]): Range[][] {
  const hunks: Range[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1)?.at(-1);
    if (last !== undefined && change.aLow - last.aHigh <= contextLines * 2)
      hunks.at(-1)?.push(change);
    else hunks.push([change]);
  }
  return hunks;
}

function showHunk(hunk: readonly Range[], a: readonly string[], b: readonly string[]): string {
  const first = hunk[0];
  const last = hunk.at(-1);
  if (first === undefined || last === undefined) return "";
  const before = Math.min(contextLines, first.aLow);
  const after = Math.min(contextLines, a.length - last.aHigh);
  const aFrom = first.aLow - before;
  const bFrom = first.bLow - before;
  const aCount = last.aHigh + after - aFrom;
  const bCount = last.bHigh + after - bFrom;
  const lines = [`@@ -${span(aFrom, aCount)} +${span(bFrom, bCount)} @@`];
  let at = aFrom;
  for (const change of hunk) {
    lines.push(...a.slice(at, change.aLow).map((line) => ` ${line}`));
    lines.push(...a.slice(change.aLow, change.aHigh).map((line) => `-${line}`));
    lines.push(...b.slice(change.bLow, change.bHigh).map((line) => `+${line}`));
    at = change.aHigh;
  }
  lines.push(...a.slice(at, at + after).map((line) => ` ${line}`));
  return lines.map((line) => `${line}\n`).join("");
}

function span(from: number, count: number): string {
  if (count === 1) return `${from + 1}`;
  return `${count === 0 ? from : from + 1},${count}`;
}
