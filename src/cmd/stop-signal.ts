// When a long-running command is to end.

import type { Logger } from "../base/logger.ts";

/** The first Ctrl-C stops cleanly; the second one at once. */
export function stopSignal(logger: Logger): AbortSignal {
  const controller = new AbortController();
  const stop = (name: string): void => {
    logger.info("stopping", { signal: name });
    process.once(name, () => process.exit(1));
    controller.abort();
  };
  for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => stop(name));
  return controller.signal;
}
