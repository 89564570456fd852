// What etcd's and gRPC's errors mean for a caller. etcd tells its errors apart by their text, which is
// part of its API.

import { type ServiceError, status } from "@grpc/grpc-js";
import { StoreUnavailableError } from "../store.ts";

export function isCompacted(err: unknown): boolean {
  return says(err, "required revision has been compacted");
}

export function isFutureRevision(err: unknown): boolean {
  return says(err, "required revision is a future revision");
}

/** The token ran out, or the member does not know it, or rights have changed since. Nothing was done. */
export function isTokenRefused(err: unknown): boolean {
  return says(err, "invalid auth token") || says(err, "revision of auth store is old");
}

export function isAuthOff(err: unknown): boolean {
  return says(err, "authentication is not enabled");
}

/**
 * The member said that it does not serve this now, before it did anything: another one may.
 * "no leader" belongs here because calls require one: the check comes before the request is looked at.
 */
export function isTurnedAway(err: unknown): boolean {
  return (
    says(err, "rpc not supported for learner") ||
    says(err, "etcdserver: no leader") ||
    says(err, "etcdserver: not capable") ||
    says(err, "etcdserver: too many requests")
  );
}

/** Whether the same read may work elsewhere, or a little later. */
export function isTransient(err: unknown): boolean {
  return isTurnedAway(err) || hasCode(err, status.UNAVAILABLE, status.DEADLINE_EXCEEDED);
}

/** etcd looked at the request and did not do it: for a write that is certain. */
export function isRefused(err: unknown): boolean {
  return (
    isTurnedAway(err) ||
    hasCode(
      err,
      status.INVALID_ARGUMENT,
      status.FAILED_PRECONDITION,
      status.OUT_OF_RANGE,
      status.PERMISSION_DENIED,
      status.RESOURCE_EXHAUSTED,
      status.UNAUTHENTICATED,
      status.UNIMPLEMENTED,
    )
  );
}

/** Nothing came back, so the member may be gone. Says nothing about what it did. */
export function isSilent(err: unknown): boolean {
  const answered = says(err, "etcdserver:");
  return !answered && hasCode(err, status.UNAVAILABLE, status.DEADLINE_EXCEEDED);
}

/** What one member said, in words for an operator. */
export function explain(err: unknown): string {
  if (!isServiceError(err)) {
    return err instanceof Error ? err.message : String(err);
  }
  const { code, details } = err;
  if (says(err, "authentication failed")) return "wrong user name or password";
  if (says(err, "user name is empty")) return "it wants a user name and password";
  if (says(err, "permission denied")) return "the user may not do this: permission denied";
  if (says(err, "database space exceeded")) {
    return "its database is full (alarm NOSPACE): compact, defragment and disarm it";
  }
  switch (code) {
    case status.UNIMPLEMENTED:
      return `it is not an etcd 3: ${details}`;
    case status.DEADLINE_EXCEEDED:
      return "it did not answer in time";
    case status.CANCELLED:
      return "the store was stopped";
    default:
      return plain(details);
  }
}

/** etcd's limit is on the whole request, with keys and framing. */
export function isTooLarge(err: unknown): boolean {
  return (
    says(err, "request is too large") ||
    (hasCode(err, status.RESOURCE_EXHAUSTED) && says(err, "received message larger than max"))
  );
}

/** The error for a caller whose `what` ("read /a") could not be done. */
export function unavailable(what: string, why: string, cause: unknown): StoreUnavailableError {
  return new StoreUnavailableError(`Cannot ${what}: ${why}`, { cause });
}

function plain(details: string): string {
  const [, connecting] =
    /No connection established\. Last error: (.*?)(?:\. Resolution note.*)?$/s.exec(details) ?? [
      undefined,
      undefined,
    ];
  if (connecting === undefined) return details;
  if (/certificate|CERT_|altnames/i.test(connecting)) {
    return `TLS failed, check the CA and the names in the certificate: ${connecting}`;
  }
  if (/ECONNREFUSED/.test(connecting)) return `nothing is listening there: ${connecting}`;
  if (/Protocol error|ECONNRESET|socket hang up|ERR_HTTP2|EPROTO|SSL/i.test(connecting)) {
    return `it does not speak gRPC as it was addressed (http or https?): ${connecting}`;
  }
  if (/^Failed to connect/.test(connecting)) {
    return "it closed the connection at once; is it http or https?";
  }
  return `no connection: ${connecting}`;
}

/** Watches are cancelled with a text only. */
function says(err: unknown, text: string): boolean {
  const said = isServiceError(err) ? err.details : err;
  return typeof said === "string" && said.includes(text);
}

function hasCode(err: unknown, ...codes: readonly status[]): boolean {
  return isServiceError(err) && codes.includes(err.code);
}

function isServiceError(err: unknown): err is ServiceError {
  return err instanceof Error && "code" in err && "details" in err;
}
