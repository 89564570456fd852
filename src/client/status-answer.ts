// What a server says when it refuses, as a StatusError: from a Status, or from the page of a proxy in between.

import type { JsonValue } from "../api/json.ts";
import { type Status, StatusError, type StatusErrorOptions } from "../api/status-error.ts";

export interface TextAnswer {
  readonly code: number;
  readonly text: string;
  /** The header: seconds. Dates, which no API server sends, are ignored. */
  readonly retryAfter?: string | undefined;
}

export function statusErrorOf({ code, text, retryAfter }: TextAnswer): StatusError {
  const seconds = /^\d{1,6}$/.test(retryAfter ?? "") ? Number(retryAfter) : undefined;
  const status = parsedStatus(text);
  const message = `the server answered ${code}: ${text.trim().slice(0, 200)}`;
  return statusError({ ...(status ?? { message }) }, { code, seconds });
}

/** Of the object of a watch's ERROR event. */
export function statusErrorOfEvent(object: JsonValue): StatusError {
  const status = (typeof object === "object" ? object : {}) as Partial<Status> | null;
  return statusError(status ?? {}, { code: 500, seconds: undefined });
}

/** How long the server wants to be left alone. */
export function retryAfterMs(err: unknown): number | undefined {
  if (!(err instanceof StatusError)) return undefined;
  const seconds = err.details?.retryAfterSeconds;
  return seconds === undefined || seconds <= 0 ? undefined : seconds * 1000;
}

/** What was asked for is no longer in the server's memory: list again. */
export function isExpired(err: unknown): err is StatusError {
  return (
    err instanceof StatusError &&
    (err.code === 410 || err.reason === "Expired" || err.reason === "Gone")
  );
}

/** The server has not come as far as another one that we asked before. */
export function isTooLargeResourceVersion(err: unknown): err is StatusError {
  return (
    err instanceof StatusError &&
    ((err.details?.causes?.some(({ reason }) => reason === "ResourceVersionTooLarge") ?? false) ||
      (err.code === 504 && err.message.startsWith("Too large resource version")))
  );
}

/** Other servers leave things out. */
function statusError(
  status: Partial<Status>,
  { code, seconds }: { readonly code: number; readonly seconds: number | undefined },
): StatusError {
  const details = {
    ...status.details,
    ...(seconds !== undefined &&
      status.details?.retryAfterSeconds === undefined && { retryAfterSeconds: seconds }),
  };
  const hasDetails = status.details !== undefined || Object.keys(details).length > 0;
  const options: StatusErrorOptions = {
    code: status.code ?? code,
    reason: status.reason ?? "",
    message: status.message ?? `the server answered ${code}`,
    ...(hasDetails && { details }),
    ...(status.metadata?.continue !== undefined && { continue: status.metadata.continue }),
  };
  return new StatusError(options);
}

function parsedStatus(text: string): Partial<Status> | undefined {
  try {
    const value = JSON.parse(text) as Partial<Status> | null;
    return value?.kind === "Status" ? value : undefined;
  } catch {
    return undefined; // Not JSON, so not from an API server.
  }
}
