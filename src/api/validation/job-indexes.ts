// Indexes of an Indexed Job as text: "1,3-5,7".

export interface IndexCount {
  readonly total: number;
  /** What is wrong; then the total means nothing. */
  readonly error?: string;
}

interface Interval {
  readonly first: number;
  readonly last: number;
}

/** All indexes have to be below `completions`, and to rise. */
export function countIndexes(text: string, completions: number): IndexCount {
  let total = 0;
  let previous: number | undefined;
  for (const part of text === "" ? [] : text.split(",")) {
    const interval = parseInterval(part, completions);
    if (typeof interval === "string") return { total: 0, error: interval };
    const { first, last } = interval;
    if (previous !== undefined && previous >= first) {
      const error = `non-increasing order, previous: ${previous}, current: ${first}`;
      return { total: 0, error };
    }
    total += last - first + 1;
    previous = last;
  }
  return { total };
}

/** The first index that is in both; parts that cannot be read are left out. */
export function firstCommonIndex(a: string, b: string, completions: number): number | undefined {
  const [left, right] = [a, b].map((text) =>
    text
      .split(",")
      .map((part) => parseInterval(part, completions))
      .filter((interval) => typeof interval !== "string"),
  );
  for (const x of left ?? []) {
    const y = right?.find(({ first, last }) => x.first <= last && first <= x.last);
    if (y !== undefined) return Math.max(x.first, y.first);
  }
  return undefined;
}

function parseInterval(text: string, completions: number): Interval | string {
  const limits = text.split("-");
  if (limits.length > 2) {
    return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const numbers: number[] = [];
  for (const limit of limits) {
    const quoted = JSON.stringify(limit);
    if (!/^\+?\d+$/.test(limit)) return `cannot convert string to integer for index: ${quoted}`;
    if (Number(limit) >= completions) return `too large index: ${quoted}`;
    numbers.push(Number(limit));
  }
  const [first = 0, last = first] = numbers;
  if (limits.length === 2 && first >= last) {
    return `non-increasing order, previous: ${first}, current: ${last}`;
  }
  return { first, last };
}
