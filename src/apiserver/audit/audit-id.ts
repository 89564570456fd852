// The name of a request in all logs: the client's own, so that it can be followed through several servers, or a new one.

import { randomUUID } from "node:crypto";
import type { HttpRequest } from "../http/answer.ts";

export const AUDIT_ID_HEADER = "audit-id";

/** The original takes any length. Nothing that names anything is longer, and it is repeated in every line. */
const MAX_CHARACTERS = 256;
/** What the original shows of it in its own log. */
const SHOWN_CHARACTERS = 64;
const printable = /^[\x21-\x7e]+$/;

export function auditIdOf({ headers }: Pick<HttpRequest, "headers">): string {
  const given = headers[AUDIT_ID_HEADER];
  const isUsable =
    typeof given === "string" && given.length <= MAX_CHARACTERS && printable.test(given);
  return isUsable ? given : randomUUID();
}

/** For lines that are not the audit log. */
export function shownAuditId(id: string): string {
  return id.slice(0, SHOWN_CHARACTERS);
}
