// watchConfig(): checks what it is given, then opens a watch on it.

import { resolve } from "node:path";
import { systemEnvironment } from "./environment.js";
import { checkOptions } from "./options.js";
import { ConfigWatch } from "./watch.js";

/** @import { Environment } from "./environment.js" */
/** @import { Watch, WatchOptions } from "./index.d.ts" */

/**
 * @template [T=unknown]
 * @param {string} path
 * @param {WatchOptions<T>} [options]
 * @returns {Promise<Watch<T>>}
 */
export function watchConfig(path, options = {}) {
  return openWatch(path, options, systemEnvironment);
}

/**
 * @template T
 * @param {string} path
 * @param {WatchOptions<T>} options
 * @param {Environment} environment
 * @returns {Promise<Watch<T>>}
 */
export async function openWatch(path, options, environment) {
  checkOptions(path, options);
  options.signal?.throwIfAborted();
  const watch = new ConfigWatch(resolve(path), options, environment);
  await watch.open();
  return watch;
}
