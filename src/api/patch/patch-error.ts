// How a patch fails. A PatchError is a StatusError: the handler answers with it as it is.

import type { JsonValue } from "../json.ts";
import { type StatusCause, StatusError } from "../status-error.ts";
import { jsonTypeName } from "./go-format.ts";

export class PatchError extends StatusError {}

/** The body is no patch of its kind. */
export function badPatch(message: string): PatchError {
  return new PatchError({ code: 400, reason: "BadRequest", message });
}

/**
 * The patch cannot be done on this object. The API tells the client nothing about what is wrong; `why` is kept as
 * the cause, for logs.
 */
export function rejectedPatch(why: string): PatchError {
  return new PatchError({
    code: 422,
    reason: "Invalid",
    message: "the server rejected our request due to an error in our request",
    details: {},
    cause: new Error(why),
  });
}

/** An oddity of the API: mistakes of the client that it answers with a bare 500. */
export function failedPatch(message: string): PatchError {
  return new PatchError({ code: 500, reason: "", message });
}

export function tooLargePatch(message: string): PatchError {
  return new PatchError({
    code: 413,
    reason: "RequestEntityTooLarge",
    message: `Request entity too large: ${message}`,
  });
}

/**
 * What the patch made is no object of the kind. `shown` is the patched object as JSON text, or for a strategic
 * merge patch the patch as Go prints it.
 */
export function invalidPatchResult(shown: string, detail: string): PatchError {
  const message = `Invalid value: ${JSON.stringify(shown)}: ${detail}`;
  const cause: StatusCause = { reason: "FieldValueInvalid", message, field: "patch" };
  return new PatchError({
    code: 422,
    reason: "Invalid",
    message: ` "" is invalid: patch: ${message}`,
    details: { causes: [cause] },
  });
}

/** Go's words for a body of another type. */
export function wrongType(value: JsonValue, wanted: string): string {
  return `json: cannot unmarshal ${jsonTypeName(value)} into Go ${wanted}`;
}
