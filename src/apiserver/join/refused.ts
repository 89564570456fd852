// No, and why: for what is asked of a path that is no resource.

import { StatusError } from "../../api/status-error.ts";

export function refused(why: string): StatusError {
  return new StatusError({
    code: 403,
    reason: "Forbidden",
    message: `forbidden: ${why}`,
    details: {},
  });
}
