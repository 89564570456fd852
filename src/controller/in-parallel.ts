// Many small requests, some at a time.

/** Does `work` for each, at most `limit` at once, and comes back with what failed when all are done. */
export async function inParallel<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  const waiting = [...items].values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) {
      try {
        await work(item);
      } catch (err) {
        failures.push(err);
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return failures;
}
