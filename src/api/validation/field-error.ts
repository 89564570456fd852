// What is wrong with one field. The texts are the API's own, to the letter: clients show them, and scripts match them.

import type { JsonValue } from "../json.ts";
import type { FieldPath } from "./field-path.ts";
import { goJson, goQuote } from "./go-text.ts";

type FieldErrorReason =
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueInvalid"
  | "FieldValueNotFound"
  | "FieldValueNotSupported"
  | "FieldValueRequired"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTypeInvalid"
  | "InternalError";

export interface FieldError {
  readonly reason: FieldErrorReason;
  readonly field: string;
  /** Without the field: `Invalid value: "x": must be …`. */
  readonly message: string;
}

export function invalid(path: FieldPath, value: JsonValue | undefined, detail: string): FieldError {
  return error("FieldValueInvalid", path, withDetail(`Invalid value: ${shown(value)}`, detail));
}

/** One error for each thing that a rule found wrong with the value. */
export function invalids(
  path: FieldPath,
  value: JsonValue | undefined,
  details: readonly string[],
): FieldError[] {
  return details.map((detail) => invalid(path, value, detail));
}

/** For a value that is not repeated. */
export function invalidWithoutValue(path: FieldPath, detail: string): FieldError {
  return error("FieldValueInvalid", path, withDetail("Invalid value", detail));
}

export function required(path: FieldPath, detail = ""): FieldError {
  return error("FieldValueRequired", path, withDetail("Required value", detail));
}

export function forbidden(path: FieldPath, detail: string): FieldError {
  return error("FieldValueForbidden", path, withDetail("Forbidden", detail));
}

export function duplicate(path: FieldPath, value: JsonValue | undefined): FieldError {
  return error("FieldValueDuplicate", path, `Duplicate value: ${shown(value)}`);
}

export function notFound(path: FieldPath, value: JsonValue | undefined): FieldError {
  return error("FieldValueNotFound", path, `Not found: ${shown(value)}`);
}

/** `supported` is listed in the order given. */
export function notSupported(
  path: FieldPath,
  value: JsonValue | undefined,
  supported: readonly string[],
): FieldError {
  const listed = supported.map(goQuote).join(", ");
  const detail = supported.length > 0 ? `supported values: ${listed}` : "";
  return error(
    "FieldValueNotSupported",
    path,
    withDetail(`Unsupported value: ${shown(value)}`, detail),
  );
}

/** Too many bytes. The value is not repeated. */
export function tooLong(path: FieldPath, maxBytes: number): FieldError {
  const unit = maxBytes === 1 ? "byte" : "bytes";
  return error("FieldValueTooLong", path, `Too long: may not be more than ${maxBytes} ${unit}`);
}

/** Too many items. */
export function tooMany(path: FieldPath, actual: number, max: number): FieldError {
  const items = max === 1 ? "item" : "items";
  return error("FieldValueTooMany", path, `Too many: ${actual}: must have at most ${max} ${items}`);
}

/** A fault that is not the client's. */
export function internalError(path: FieldPath, detail: string): FieldError {
  return error("InternalError", path, `Internal error: ${detail}`);
}

function error(reason: FieldErrorReason, path: FieldPath, message: string): FieldError {
  // As they stand in a Status.
  return { reason, message, field: path.toString() };
}

function withDetail(head: string, detail: string): string {
  return detail === "" ? head : `${head}: ${detail}`;
}

function shown(value: JsonValue | undefined): string {
  return typeof value === "string" ? goQuote(value) : goJson(value);
}
