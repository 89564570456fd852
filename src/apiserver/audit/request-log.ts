// A line for each request in the server's own log: for debugging, and for finding what is slow.

import type { Fields, Logger } from "../../base/logger.ts";
import { shownAuditId } from "./audit-id.ts";
import { shownUri } from "./shown-uri.ts";

export interface LoggedRequest {
  readonly method: string;
  readonly url: string;
  /** "" if it is not known. */
  readonly user: string;
  readonly code: number;
  readonly durationMs: number;
  readonly auditId: string;
  /** Watches and connections last as long as they like. */
  readonly isStream: boolean;
}

const SLOW_MS = 1000;

export function logRequest(logger: Logger, asked: LoggedRequest): void {
  if (!asked.isStream && asked.durationMs > SLOW_MS) logger.warn("slow request", fieldsOf(asked));
  else logger.debug("request", () => fieldsOf(asked));
}

function fieldsOf({ method, url, user, code, durationMs, auditId }: LoggedRequest): Fields {
  return {
    method,
    path: shownUri(url),
    user,
    code,
    durationMs: Math.round(durationMs * 10) / 10,
    auditId: shownAuditId(auditId),
  };
}
