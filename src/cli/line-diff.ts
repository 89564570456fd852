// Two texts line by line, as unified diffs show them: what is alike around a difference, and nothing else.

const CONTEXT_LINES = 3;
/** Beyond, what lies between the first and the last difference counts as replaced. */
const MAX_COMPARISONS = 4_000_000;

export interface DiffLine {
  readonly type: "same" | "removed" | "added" | "place";
  readonly text: string;
}

export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const edits = editsOf(linesOf(before), linesOf(after));
  return hunksOf(edits).flatMap((hunk) => [
    { type: "place", text: placeOf(hunk) },
    ...hunk.flatMap(({ type, line }) => shown(type, line)),
  ]);
}

interface Edit {
  readonly type: "same" | "removed" | "added";
  /** With its end, unless it has none. */
  readonly line: string;
  /** Of the two texts, from 0: where it is, or would be. */
  readonly at: readonly [before: number, after: number];
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function editsOf(before: readonly string[], after: readonly string[]): readonly Edit[] {
  const least = Math.min(before.length, after.length);
  let start = 0;
  while (start < least && before[start] === after[start]) start++;
  let end = 0;
  while (end < least - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  const types = [
    ...same(start),
    ...(removed.length * added.length > MAX_COMPARISONS
      ? [...removed.map(() => "removed" as const), ...added.map(() => "added" as const)]
      : middle(removed, added)),
    ...same(end),
  ];
  let [i, j] = [0, 0];
  return types.map((type): Edit => {
    const at = [i, j] as const;
    const line = (type === "added" ? after[j] : before[i]) ?? "";
    if (type !== "added") i++;
    if (type !== "removed") j++;
    return { type, line, at };
  });
}

function same(count: number): readonly Edit["type"][] {
  return Array.from({ length: count }, () => "same" as const);
}

/** Along a longest common subsequence. */
function middle(before: readonly string[], after: readonly string[]): readonly Edit["type"][] {
  const common = commonLengths(before, after);
  const types: Edit["type"][] = [];
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    const removes = common(i + 1, j) >= common(i, j + 1);
    const type = before[i] === after[j] ? "same" : removes ? "removed" : "added";
    types.push(type);
    if (type !== "added") i++;
    if (type !== "removed") j++;
  }
  return [
    ...types,
    ...before.slice(i).map(() => "removed" as const),
    ...after.slice(j).map(() => "added" as const),
  ];
}

/** How much is common to what is left from line i and from line j on. */
function commonLengths(
  before: readonly string[],
  after: readonly string[],
): (i: number, j: number) => number {
  const width = after.length + 1;
  const table = new Uint32Array((before.length + 1) * width);
  const of = (i: number, j: number): number => table[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const isSame = before[i] === after[j];
      table[i * width + j] = isSame ? of(i + 1, j + 1) + 1 : Math.max(of(i + 1, j), of(i, j + 1));
    }
  }
  return of;
}

/** Differences with what is around them; those that are near each other together. */
function hunksOf(edits: readonly Edit[]): readonly (readonly Edit[])[] {
  const ranges: { from: number; to: number }[] = [];
  for (const [index, { type }] of edits.entries()) {
    if (type === "same") continue;
    const [from, to] = [Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1];
    const last = ranges.at(-1);
    if (last !== undefined && from <= last.to) last.to = to;
    else ranges.push({ from, to });
  }
  return ranges.map(({ from, to }) => edits.slice(from, to));
}

/** "@@ -3,7 +3,8 @@" */
function placeOf(hunk: readonly Edit[]): string {
  const [before = 0, after = 0] = hunk[0]?.at ?? [];
  const range = (start: number, count: number): string => {
    const first = count === 0 ? start : start + 1;
    return count === 1 ? String(first) : `${first},${count}`;
  };
  const old = hunk.filter(({ type }) => type !== "added").length;
  const now = hunk.filter(({ type }) => type !== "removed").length;
  return `@@ -${range(before, old)} +${range(after, now)} @@`;
}

function shown(type: Edit["type"], line: string): readonly DiffLine[] {
  const hasEnd = line.endsWith("\n");
  const sign = { same: " ", removed: "-", added: "+" }[type];
  const text = `${sign}${hasEnd ? line.slice(0, -1) : line}`;
  return [
    { type, text },
    ...(hasEnd ? [] : [{ type: "place", text: "\\ No newline at the end" } as const]),
  ];
}
