// Binary search in sorted arrays.

/** The first index whose item is `reached`; the length when none is. All items after a reached one are too. */
export function firstIndex<T>(items: readonly T[], reached: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (reached(items[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
