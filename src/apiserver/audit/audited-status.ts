// How a request ended, for the audit log. Messages of refusals repeat what was sent: those about secrets do not pass.

import type { Status, StatusDetails, StatusReason } from "../../api/status-error.ts";
import { type Answer, JSON_TYPE } from "../http/answer.ts";
import type { ResponseStatus } from "./audit-event.ts";

/** Their messages speak of names and rights, not of contents. */
const harmless: ReadonlySet<StatusReason> = new Set<StatusReason>([
  "AlreadyExists",
  "Conflict",
  "Expired",
  "Forbidden",
  "Gone",
  "MethodNotAllowed",
  "NotAcceptable",
  "NotFound",
  "ServerTimeout",
  "ServiceUnavailable",
  "Timeout",
  "TooManyRequests",
  "Unauthorized",
]);

const REDACTED = "[redacted]";
/** Followed by the beginning of the body, of whatever it was. */
const QUOTES_BODY = "the object provided is unrecognized";
/** All answers of ours that are a Status begin so. */
const STATUS_START = Buffer.from('{"kind":"Status"');

/** `showsValues`: whether the policy lets what was sent be seen. */
export function auditedStatus(answer: Answer, showsValues: boolean): ResponseStatus {
  const { code } = answer;
  const found = statusIn(answer);
  if (found === undefined) return { metadata: {}, code };
  const { status, reason, details } = found;
  const isShown = showsValues || harmless.has(reason ?? "");
  return {
    metadata: {},
    status,
    ...shownMessage(found.message, isShown),
    ...(reason !== undefined && { reason }),
    ...(details !== undefined && { details: isShown ? details : withoutCauses(details) }),
    code,
  };
}

function shownMessage(message: string | undefined, isShown: boolean): { message?: string } {
  if (message === undefined) return {};
  return { message: isShown && !message.startsWith(QUOTES_BODY) ? message : REDACTED };
}

function statusIn({ contentType, body: [first, ...more] }: Answer): Status | undefined {
  if (contentType !== JSON_TYPE || first === undefined || more.length > 0) return undefined;
  const bytes = Buffer.from(first.buffer, first.byteOffset, first.byteLength);
  if (!bytes.subarray(0, STATUS_START.length).equals(STATUS_START)) return undefined;
  return JSON.parse(bytes.toString()) as Status;
}

function withoutCauses(details: StatusDetails): StatusDetails {
  const { causes: _, ...rest } = details;
  return rest;
}
