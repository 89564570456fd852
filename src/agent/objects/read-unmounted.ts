// For strategies without a watch. What volumes show they read again at each sync; what only environments use is read when a container starts, and
// never again, so nobody would hear that an environment is out of date, and its view would say that it is not. Once a round all of it is read.

import { StatusError } from "../../api/status-error.ts";
import type { ConfigObject, ObjectReference } from "./config-object.ts";
import { NotRegisteredError } from "./object-manager.ts";
import type { Registrations } from "./registrations.ts";

/** One after the other. Leaves the rest to the next round if the server does not answer. */
export async function readUnmounted(
  get: (of: ObjectReference) => Promise<ConfigObject>,
  registrations: Registrations,
  signal: AbortSignal,
): Promise<void> {
  for (const of of registrations.unmounted()) {
    try {
      await get(of);
    } catch (err) {
      signal.throwIfAborted();
      if (!(err instanceof StatusError || err instanceof NotRegisteredError)) return;
    }
  }
}
