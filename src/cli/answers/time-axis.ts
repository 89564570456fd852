// A time axis in a line of characters: which column a moment is in, and the line of ticks above. Logarithmic where the lags differ so much that
// the short ones would be nothing but a point.

import { durationText } from "./timeline.ts";

export interface TimeAxis {
  readonly isLog: boolean;
  /** 0 to `width`. */
  columnOf(ms: number): number;
  /** Two lines of `width` characters: what the ticks are, and the ticks. */
  lines(isUnicode: boolean): readonly [string, string];
}

/** From here on the shortest of a hundred columns would have none. */
const LOG_FROM = 50;

export function timeAxis(totalsMs: readonly number[], width: number): TimeAxis {
  const longest = Math.max(...totalsMs, 0.01);
  const shortest = Math.max(Math.min(...totalsMs), 0.01);
  return longest / shortest > LOG_FROM
    ? logAxis(shortest, longest, width)
    : linearAxis(longest, width);
}

function linearAxis(longest: number, width: number): TimeAxis {
  const { top, parts } = niceTop(longest);
  const columnOf = (ms: number): number => clamped((width * ms) / top, width);
  const ticks = Array.from({ length: parts + 1 }, (_, at) => (top * at) / parts);
  return {
    isLog: false,
    columnOf,
    lines: (isUnicode) => drawn({ ticks, columnOf, width, isUnicode }),
  };
}

function logAxis(shortest: number, longest: number, width: number): TimeAxis {
  // Half the shortest's decade is left for what comes before its end.
  const low = Math.floor(Math.log10(shortest)) - 1;
  const high = Math.ceil(Math.log10(longest));
  const columnOf = (ms: number): number =>
    ms <= 0 ? 0 : clamped((width * (Math.log10(ms) - low)) / (high - low), width);
  const ticks = Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at));
  return {
    isLog: true,
    columnOf,
    lines: (isUnicode) => drawn({ ticks, columnOf, width, isUnicode }),
  };
}

function clamped(column: number, width: number): number {
  return Math.min(Math.max(Math.round(column), 0), width);
}

const TOPS: readonly { readonly top: number; readonly parts: number }[] = [
  { top: 1, parts: 5 },
  { top: 2, parts: 4 },
  { top: 4, parts: 4 },
  { top: 5, parts: 5 },
  { top: 8, parts: 4 },
  { top: 10, parts: 5 },
];

/** The next round number, and into how many round parts it goes. */
function niceTop(longest: number): { readonly top: number; readonly parts: number } {
  const unit = 10 ** Math.floor(Math.log10(longest));
  const found = TOPS.find(({ top }) => top * unit >= longest) ?? { top: 10, parts: 5 };
  return { top: found.top * unit, parts: found.parts };
}

interface Drawn {
  readonly ticks: readonly number[];
  readonly columnOf: (ms: number) => number;
  readonly width: number;
  readonly isUnicode: boolean;
}

function drawn({ ticks, columnOf, width, isUnicode }: Drawn): readonly [string, string] {
  const line = Array.from({ length: width }, (): string => (isUnicode ? "─" : "-"));
  const texts = ticks.map((tick) => (tick === 0 ? "0" : durationText(tick)));
  // The end of the axis says more than any tick before it.
  const last = texts.at(-1) ?? "";
  const room = width - last.length - 1;
  let names = "";
  for (const [at, tick] of ticks.entries()) {
    const column = Math.min(columnOf(tick), width - 1);
    line[column] = isUnicode ? tickSign(at, ticks.length) : "+";
    const text = texts[at] ?? "";
    const isFree = names === "" || column > names.length;
    if (isFree && column + text.length <= room) names = names.padEnd(column) + text;
  }
  return [names.padEnd(width - last.length) + last, line.join("")];
}

function tickSign(at: number, count: number): string {
  if (at === 0) return "├";
  return at === count - 1 ? "┤" : "┼";
}
