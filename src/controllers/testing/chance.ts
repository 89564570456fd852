// Chance, in the words of those who use it.

import type { Random } from "../../base/random.ts";

export interface Chance {
  readonly random: Random;
  pick<T>(from: readonly T[]): T | undefined;
  /** A whole number below it. */
  below(n: number): number;
  /** True in so many of a hundred cases. */
  percent(n: number): boolean;
}

export function chanceOf(random: Random): Chance {
  const below = (n: number): number => Math.floor(random.next() * n);
  return {
    random,
    below,
    pick: (from) => from[below(from.length)],
    percent: (n) => random.next() * 100 < n,
  };
}
