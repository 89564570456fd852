// Hears that a client has left while its request waits.

import type { HttpResponse } from "../http/answer.ts";
import { isGone } from "../http/is-gone.ts";

/** Aborts when the response can reach nobody any more. */
export function goneSignal(response: HttpResponse): AbortSignal {
  const controller = new AbortController();
  if (isGone(response)) controller.abort();
  else response.once("close", () => controller.abort());
  return controller.signal;
}
