// How long changes of the pods of a workload are gathered before it is looked at. A look costs a look at all its pods, and often a
// write: for a large workload whose pods all change, one look for each of them would cost the square of their number.

/** What is smaller is looked at at once. */
const SMALL = 100;
const MAX_MS = 1000;

/** In milliseconds, for a workload of so many pods. */
export function gatherMs(pods: number): number {
  return pods <= SMALL ? 0 : Math.min(MAX_MS, pods / 10);
}
