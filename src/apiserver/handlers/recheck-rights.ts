// Rights end while streams go on: asked again from time to time.

import type { RequestContext } from "./context.ts";

/** How long somebody who lost the right to a stream can go on with it, at most. */
const RECHECK_MS = 60_000;

/** Calls back once when the user may not go on. Not all streams ask at the same time. */
export function recheckRights(
  { parts, demandStill }: Pick<RequestContext, "parts" | "demandStill">,
  onLost: () => void,
): Disposable {
  const later = (): Disposable =>
    parts.clock.schedule(RECHECK_MS * (0.5 + parts.random.next() / 2), () => void look());
  const look = async (): Promise<void> => {
    try {
      await demandStill();
      if (!isOver) timer = later();
    } catch {
      onLost(); // Whoever comes back is told why not.
    }
  };
  let isOver = false;
  let timer = later();
  return {
    [Symbol.dispose]: () => {
      isOver = true;
      timer[Symbol.dispose]();
    },
  };
}
