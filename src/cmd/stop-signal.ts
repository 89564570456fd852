// When a long-running command is to end.

import { systemClock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";

/** One Ctrl-C may arrive twice: from the terminal, and from npm or whoever else started us and passes it on. Nobody presses so fast. */
const SAME_MS = 300;

/** The first Ctrl-C stops cleanly; the second one at once. */
export function stopSignal(
  logger: Logger,
  names: readonly string[] = ["SIGINT", "SIGTERM"],
): AbortSignal {
  const controller = new AbortController();
  let firstMs: number | undefined;
  const stop = (name: string): void => {
    const nowMs = systemClock.monotonicMs();
    if (firstMs !== undefined) {
      if (nowMs - firstMs > SAME_MS) process.exit(1);
      return;
    }
    firstMs = nowMs;
    logger.info("stopping", { signal: name });
    controller.abort();
  };
  for (const name of names) process.on(name, () => stop(name));
  return controller.signal;
}
