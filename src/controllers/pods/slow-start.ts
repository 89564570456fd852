// Does a thing many times, at first carefully: once, then twice, then four times at once. What is refused is likely refused
// every time, so a batch with a failure is the last: a full quota costs one request, not five hundred.

export interface SlowStartResult {
  readonly successes: number;
  /** The first failure of the last batch. */
  readonly error?: unknown;
}

/** Settles when all attempts that were begun have. */
export async function slowStart<T>(
  items: readonly T[],
  attempt: (item: T) => Promise<void>,
): Promise<SlowStartResult> {
  let successes = 0;
  for (let begin = 0, size = 1; begin < items.length; begin += size, size *= 2) {
    const batch = items.slice(begin, begin + size);
    const results = await Promise.allSettled(batch.map((item) => attempt(item)));
    const failed = results.filter((result) => result.status === "rejected");
    successes += batch.length - failed.length;
    const [first] = failed;
    if (first !== undefined) return { successes, error: first.reason as unknown };
  }
  return { successes };
}
