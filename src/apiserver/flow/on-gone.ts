// Hears that a client has left while its request waits.

import type { HttpResponse } from "../http/answer.ts";
import { isGone } from "../http/is-gone.ts";

/** Calls back when the response can reach nobody any more, never at once, until what it returns is called. */
export function onGone(response: HttpResponse, callback: () => void): () => void {
  if (!isGone(response)) {
    response.once("close", callback);
    return () => response.off("close", callback);
  }
  let isHeard = true;
  queueMicrotask(() => {
    if (isHeard) callback();
  });
  return () => {
    isHeard = false;
  };
}
