// The one error that goes over the wire: a Kubernetes Status. Made by the constructors below, recognised by the
// predicates; the messages are the API's own, to the letter, because clients print and match them.

import type { FieldError } from "./validation/field-error.ts";

export type StatusReason =
  | ""
  | "AlreadyExists"
  | "BadRequest"
  | "Conflict"
  | "Expired"
  | "Forbidden"
  | "Gone"
  | "InternalError"
  | "Invalid"
  | "MethodNotAllowed"
  | "NotAcceptable"
  | "NotFound"
  | "RequestEntityTooLarge"
  | "ServerTimeout"
  | "ServiceUnavailable"
  | "Timeout"
  | "TooManyRequests"
  | "Unauthorized"
  | "UnsupportedMediaType";

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** The plural resource for most errors, the kind for Invalid. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** A kind or resource as errors name it. */
export interface Named {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
}

export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: { readonly continue?: string };
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  readonly code?: number;
}

export interface StatusErrorOptions {
  readonly code: number;
  readonly reason: StatusReason;
  readonly message: string;
  readonly details?: StatusDetails;
  /** For an expired continue token: one that goes on, inconsistently. */
  readonly continue?: string;
  readonly cause?: unknown;
}

export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly code: number;
  readonly reason: StatusReason;
  readonly details: StatusDetails | undefined;
  readonly #continue: string | undefined;

  constructor(options: StatusErrorOptions) {
    super(options.message, { cause: options.cause });
    this.code = options.code;
    this.reason = options.reason;
    this.details = options.details;
    this.#continue = options.continue;
  }

  /** In the order in which the API writes it. */
  toStatus(): Status {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: this.#continue === undefined ? {} : { continue: this.#continue },
      status: "Failure",
      message: this.message,
      ...(this.reason !== "" && { reason: this.reason }),
      ...(this.details !== undefined && { details: this.details }),
      code: this.code,
    };
  }
}

export function notFound(of: Named, name: string): StatusError {
  return new StatusError({
    code: 404,
    reason: "NotFound",
    message: `${resourceOf(of)} ${JSON.stringify(name)} not found`,
    details: detailsOf(of, name),
  });
}

export function alreadyExists(of: Named, name: string): StatusError {
  return new StatusError({
    code: 409,
    reason: "AlreadyExists",
    message: `${resourceOf(of)} ${JSON.stringify(name)} already exists`,
    details: detailsOf(of, name),
  });
}

export function conflict(of: Named, name: string, why: string): StatusError {
  return new StatusError({
    code: 409,
    reason: "Conflict",
    message: `Operation cannot be fulfilled on ${resourceOf(of)} ${JSON.stringify(name)}: ${why}`,
    details: detailsOf(of, name),
  });
}

/** Somebody else wrote in between. */
export function modified(of: Named, name: string): StatusError {
  return conflict(
    of,
    name,
    "the object has been modified; please apply your changes to the latest version and try again",
  );
}

export function forbidden(
  of: Named,
  name: string,
  why: string,
  causes: readonly StatusCause[] = [],
): StatusError {
  const what = name === "" ? resourceOf(of) : `${resourceOf(of)} ${JSON.stringify(name)}`;
  return new StatusError({
    code: 403,
    reason: "Forbidden",
    message: `${what} is forbidden: ${why}`,
    details: { ...detailsOf(of, name), ...(causes.length > 0 && { causes }) },
  });
}

export function invalid(of: Named, name: string, errors: readonly FieldError[]): StatusError {
  const kind = of.group === "" ? of.kind : `${of.kind}.${of.group}`;
  // The rules for new objects and for updates overlap: what both find is said once.
  const byText = new Map(errors.map((error) => [`${error.field}: ${error.message}`, error]));
  const texts = [...byText.keys()];
  const told = texts.length === 1 ? texts.join("") : `[${texts.join(", ")}]`;
  return new StatusError({
    code: 422,
    reason: "Invalid",
    message: `${kind} ${JSON.stringify(name)} is invalid${texts.length === 0 ? "" : `: ${told}`}`,
    details: {
      ...(name !== "" && { name }),
      ...(of.group !== "" && { group: of.group }),
      kind: of.kind,
      ...(errors.length > 0 && { causes: [...byText.values()] }),
    },
  });
}

export function badRequest(message: string): StatusError {
  return new StatusError({ code: 400, reason: "BadRequest", message });
}

export function expired(message: string, continueToken?: string): StatusError {
  return new StatusError({
    code: 410,
    reason: "Expired",
    message,
    ...(continueToken !== undefined && { continue: continueToken }),
  });
}

export function methodNotAllowed(): StatusError {
  return new StatusError({
    code: 405,
    reason: "MethodNotAllowed",
    message: "the server does not allow this method on the requested resource",
    details: {},
  });
}

/** The path names no resource that is served. */
export function unknownResource(): StatusError {
  return new StatusError({
    code: 404,
    reason: "NotFound",
    message: "the server could not find the requested resource",
    details: {},
  });
}

export function tooLarge(maxBytes: number): StatusError {
  return new StatusError({
    code: 413,
    reason: "RequestEntityTooLarge",
    message: `Request entity too large: limit is ${maxBytes}`,
  });
}

export function unauthorized(): StatusError {
  return new StatusError({ code: 401, reason: "Unauthorized", message: "Unauthorized" });
}

export function serviceUnavailable(message: string, cause?: unknown): StatusError {
  return new StatusError({ code: 503, reason: "ServiceUnavailable", message, cause });
}

export function tooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return new StatusError({
    code: 429,
    reason: "TooManyRequests",
    message,
    details: { retryAfterSeconds },
  });
}

/** A fault of ours. What happened goes to the log; the client is told only what `message` says. */
export function internalError(message: string, cause?: unknown): StatusError {
  return new StatusError({
    code: 500,
    reason: "InternalError",
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
    cause,
  });
}

export function isNotFound(err: unknown): err is StatusError {
  return err instanceof StatusError && err.reason === "NotFound";
}

export function isAlreadyExists(err: unknown): err is StatusError {
  return err instanceof StatusError && err.reason === "AlreadyExists";
}

function resourceOf({ group, resource }: Named): string {
  return group === "" ? resource : `${resource}.${group}`;
}

function detailsOf({ group, resource }: Named, name: string): StatusDetails {
  return { ...(name !== "" && { name }), ...(group !== "" && { group }), kind: resource };
}
