// One listener per AbortSignal, however many watches share it: Node warns about the eleventh.

/** @type {WeakMap<AbortSignal, { runs: Set<() => void>, listener: () => void }>} */
const entries = new WeakMap();

/**
 * @param {AbortSignal} signal not yet aborted
 * @param {() => void} run must not throw
 * @returns {() => void} the end of it; the listener goes with the last
 */
export function onAbort(signal, run) {
  let entry = entries.get(signal);
  if (entry === undefined) {
    /** @type {Set<() => void>} */
    const runs = new Set();
    const listener = () => {
      entries.delete(signal);
      for (const each of [...runs]) each();
    };
    entry = { runs, listener };
    signal.addEventListener("abort", listener, { once: true });
    entries.set(signal, entry);
  }
  const { runs, listener } = entry;
  // A function of its own, so that the same `run` may be given twice.
  const own = () => run();
  runs.add(own);
  return () => {
    runs.delete(own);
    if (runs.size > 0 || entries.get(signal)?.runs !== runs) return;
    signal.removeEventListener("abort", listener);
    entries.delete(signal);
  };
}

/**
 * Settles like the promise, or rejects with the signal's reason as soon as that is aborted.
 * @template T
 * @param {AbortSignal} signal not yet aborted
 * @param {() => Promise<T>} begin
 * @returns {Promise<T>}
 */
export async function unlessAborted(signal, begin) {
  let end = () => {};
  /** @type {Promise<never>} */
  const aborted = new Promise((_, fail) => {
    end = onAbort(signal, () => fail(signal.reason));
  });
  try {
    return await Promise.race([aborted, begin()]);
  } finally {
    end();
  }
}
