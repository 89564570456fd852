// Scores that can be added up: whatever a rule counts in, the best node gets 100 of it, and fractions are cut off.

export const MAX_SCORE = 100;

/** The answer of a filter that lets the pod onto the node. */
export const PASSES: readonly string[] = [];

/** In proportion to the largest count. */
export function proportional(counts: readonly number[]): number[] {
  const max = Math.max(0, ...counts);
  return counts.map((count) => (max === 0 ? 0 : Math.trunc((MAX_SCORE * count) / max)));
}

/** The same, less being better. */
export function reversed(counts: readonly number[]): number[] {
  return proportional(counts).map((score) => MAX_SCORE - score);
}

/** From 0 for the least to 100 for the largest count; counts may be negative. */
export function ranged(counts: readonly number[]): number[] {
  const min = Math.min(...counts);
  const range = Math.max(...counts) - min;
  return counts.map((count) => (range === 0 ? 0 : Math.trunc(MAX_SCORE * ((count - min) / range))));
}
