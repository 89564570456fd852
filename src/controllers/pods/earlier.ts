// When to look again, if there is more than one reason to.

/** The smaller of two times; undefined is never. */
export function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
