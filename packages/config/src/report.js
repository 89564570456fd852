// Tells the application what went wrong, loudly, and survives when its callback fails.

import { messageOf } from "./config-error.js";

/** @import { ConfigError } from "./config-error.js" */
/** @import { Environment } from "./environment.js" */
/** @import { WatchOptions } from "./index.d.ts" */

/**
 * Never rejects.
 * @param {ConfigError} error
 * @param {WatchOptions<never>["onError"]} onError
 * @param {Pick<Environment, "warn">} environment
 */
export async function report(error, onError, { warn }) {
  const code = `DRIFTLESS_${error.stage.toUpperCase()}`;
  if (onError === undefined) {
    warn(error.message, { code });
    return;
  }
  try {
    // Typed as returning nothing, but an async function fits that type: its rejection counts too.
    await /** @type {unknown} */ (onError(error));
  } catch (cause) {
    warn(error.message, { code, detail: `onError itself failed: ${messageOf(cause)}` });
  }
}
