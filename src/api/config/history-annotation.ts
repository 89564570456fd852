// Whether history is kept of a ConfigMap or Secret: what the server heeds and the command line explains.

import type { ApiObject } from "../object.ts";

/** "false" for objects that change all the time and mean nothing, such as locks. */
const HISTORY_ANNOTATION = "driftless.dev/history";

export function hasHistory({ metadata }: Pick<ApiObject, "metadata">): boolean {
  return metadata.annotations?.[HISTORY_ANNOTATION] !== "false";
}
