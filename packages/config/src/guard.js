// Every way in from outside (file events, timers, signals) goes through here: an error that nobody
// foresaw is handed on and never ends the process as an uncaught exception.

/** @import { Environment } from "./environment.js" */

/**
 * The same environment, whose callbacks cannot throw.
 * @param {Environment} environment
 * @param {(cause: unknown) => void} onFailure
 * @returns {Environment}
 */
export function guarded(environment, onFailure) {
  /**
   * @template {unknown[]} Args
   * @param {(...args: Args) => void} run
   * @returns {(...args: Args) => void}
   */
  const safe =
    (run) =>
    (...args) => {
      try {
        run(...args);
      } catch (cause) {
        onFailure(cause);
      }
    };
  return {
    ...environment,
    after: (ms, run) => environment.after(ms, safe(run)),
    soon: (run) => environment.soon(safe(run)),
    onSignal: (signal, run) => environment.onSignal(signal, safe(run)),
    watch: (path, { event, error }) =>
      environment.watch(path, { event: safe(event), error: safe(error) }),
  };
}
