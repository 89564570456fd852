// Refuses options that make no sense, at once and by name, instead of misbehaving later.

/** @import { WatchOptions } from "./index.d.ts" */

const formats = ["json", "dotenv", "text"];

/**
 * @template T
 * @param {WatchOptions<T>} options
 */
export function checkOptions({ parse, schema, debounce, pollMs }) {
  if (typeof parse === "string" && !formats.includes(parse)) {
    throw new TypeError(
      `Cannot use parse "${String(parse)}": it is "json", "dotenv", "text" or a function`,
    );
  }
  if (schema !== undefined && typeof schema["~standard"]?.validate !== "function") {
    throw new TypeError(
      'Cannot use schema: it has no "~standard" property, so it is no Standard Schema',
    );
  }
  if (pollMs !== undefined && !isDuration(pollMs)) {
    throw new TypeError(
      `Cannot use pollMs ${pollMs}: it is a number of milliseconds, or 0 for none`,
    );
  }
  if (debounce === undefined) return;
  const { minMs, maxMs } = debounce;
  if (!isDuration(minMs) || !isDuration(maxMs) || minMs > maxMs) {
    throw new TypeError(
      `Cannot debounce from ${minMs} to ${maxMs} ms: 0 <= minMs <= maxMs is needed`,
    );
  }
}

/** @param {number} ms A timer takes at most 2^31 - 1. */
function isDuration(ms) {
  return Number.isFinite(ms) && ms >= 0 && ms < 2 ** 31;
}
