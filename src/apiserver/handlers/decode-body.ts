// From the bytes of a request to an object of the table: JSON, YAML or protobuf, with the kind checked and unknown or
// repeated fields reported as the client asked.

import { decodeObject } from "../../api/decode.ts";
import { DecodeError } from "../../api/decode-error.ts";
import { strictErrors } from "../../api/decode-strictness.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../api/json.ts";
import { type ParsedText, parseJsonText } from "../../api/json-text.ts";
import { apiVersionOf } from "../../api/kind.ts";
import { typeOf } from "../../api/kinds.ts";
import type { ApiObject } from "../../api/object.ts";
import { type DecodedProtobuf, decodeProtobuf } from "../../api/protobuf/decode-protobuf.ts";
import type { TypeSchema } from "../../api/schema/schema.ts";
import { badRequest, StatusError } from "../../api/status-error.ts";
import { parseYamlText } from "../../api/yaml-text.ts";
import { mediaType } from "../http/media-type.ts";
import type { FieldValidation } from "./write-options.ts";

/** What a body is expected to be. */
export interface ExpectedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: TypeSchema;
  /** Options are the same in every group: clients send them with any apiVersion. */
  readonly isAnyVersion?: boolean;
  /** Older ones with the same fields, which clients still send: "policy/v1beta1". */
  readonly formerVersions?: readonly string[];
}

export interface BodyOptions {
  readonly contentType: string | undefined;
  readonly expected: ExpectedKind;
  readonly fieldValidation: FieldValidation;
  /** Gets unknown and repeated fields when they are only warned about. */
  readonly warnings: string[];
}

const PROTOBUF = "application/vnd.kubernetes.protobuf";

/** What went wrong with the bytes themselves, before anything of the object is known. */
class UnreadableError extends Error {}

export function decodeBody(body: Buffer, options: BodyOptions): ApiObject {
  const { type } = mediaType(options.contentType ?? "");
  try {
    if (type === PROTOBUF) return fromProtobuf(body, options);
    return fromValue(parsed(body, type), options);
  } catch (err) {
    if (err instanceof UnreadableError) {
      throw unrecognized(body, options.expected, err.message);
    }
    throw err;
  }
}

function parsed(body: Buffer, type: string): ParsedText {
  const text = body.toString();
  // No type at all means JSON: old clients send none.
  if (type === "" || type === "application/json") {
    return readable(() => parseJsonText(text), "couldn't get version/kind; json parse error: ");
  }
  if (type === "application/yaml") return readable(() => parseYamlText(text), "");
  throw new StatusError({
    code: 415,
    reason: "UnsupportedMediaType",
    message: `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, ${PROTOBUF}`,
  });
}

function readable(parse: () => ParsedText, prefix: string): ParsedText {
  try {
    return parse();
  } catch (err) {
    throw new UnreadableError(`${prefix}${err instanceof Error ? err.message : String(err)}`, {
      cause: err,
    });
  }
}

function fromValue(text: ParsedText, options: BodyOptions): ApiObject {
  const { expected } = options;
  const { value } = text;
  if (!isJsonObject(value)) {
    const what = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
    throw new UnreadableError(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${what} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  }
  checkKind(value, expected);
  const { object, unknownFields } = decoded(expected, value);
  report(strictErrors(text, unknownFields), options);
  return clearingOwners(value, withMetadata(object, expected));
}

function decoded(
  expected: ExpectedKind,
  value: JsonObject,
): { readonly object: JsonObject; readonly unknownFields: readonly string[] } {
  try {
    const { kind: _, apiVersion: __, ...fields } = value;
    return decodeObject(expected.schema, fields);
  } catch (err) {
    if (err instanceof DecodeError) throw unhandled(expected, err.message);
    throw err;
  }
}

function fromProtobuf(body: Buffer, options: BodyOptions): ApiObject {
  const { expected } = options;
  const { apiVersion, kind, object } = protobuf(body, expected);
  checkKind({ apiVersion, kind }, expected);
  return withMetadata(object, expected);
}

function protobuf(body: Buffer, expected: ExpectedKind): DecodedProtobuf {
  const schemaOf = (apiVersion: string, kind: string): TypeSchema | undefined =>
    kind === expected.kind && expected.formerVersions?.includes(apiVersion) === true
      ? expected.schema
      : typeOf(apiVersion, kind);
  try {
    return decodeProtobuf(body, schemaOf);
  } catch (err) {
    if (err instanceof DecodeError) throw new UnreadableError(err.message, { cause: err });
    throw err;
  }
}

/** Missing kind and apiVersion come from the path. */
function checkKind(given: JsonObject, expected: ExpectedKind): void {
  const apiVersion = textOr(given["apiVersion"], apiVersionOf(expected));
  const kind = textOr(given["kind"], expected.kind);
  const isVersion =
    expected.isAnyVersion === true ||
    apiVersion === apiVersionOf(expected) ||
    expected.formerVersions?.includes(apiVersion) === true;
  if (kind === expected.kind && isVersion) return;
  const why =
    typeOf(apiVersion, kind) === undefined
      ? `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`
      : `converting (${apiVersion.split("/").at(-1)}.${kind}) to (${expected.group === "" ? "core" : expected.group.split(".")[0]}.${expected.kind}): unknown conversion`;
  throw badRequest(
    `${kind} in version ${JSON.stringify(expected.version)} cannot be handled as a ${expected.kind}: ${why}`,
  );
}

function textOr(value: JsonValue | undefined, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

function withMetadata(object: JsonObject, expected: ExpectedKind): ApiObject {
  const { metadata, ...rest } = object;
  return {
    kind: expected.kind,
    apiVersion: apiVersionOf(expected),
    metadata: isJsonObject(metadata) ? metadata : {},
    ...rest,
  };
}

/** An empty list of owners means something, although empty lists are not kept: nobody owns anything any more. */
export function clearingOwners(sent: JsonObject, object: ApiObject): ApiObject {
  const { metadata } = sent;
  const owners = isJsonObject(metadata) ? metadata["managedFields"] : undefined;
  if (Array.isArray(owners) && owners.length === 0) object.metadata.managedFields = [];
  return object;
}

function report(problems: readonly string[], options: BodyOptions): void {
  if (problems.length === 0 || options.fieldValidation === "Ignore") return;
  if (options.fieldValidation === "Warn") {
    options.warnings.push(...problems);
    return;
  }
  throw unhandled(options.expected, `strict decoding error: ${problems.join(", ")}`);
}

function unhandled({ kind, version }: ExpectedKind, why: string): StatusError {
  return badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`,
  );
}

const SHOWN_BYTES = 30;

function unrecognized(body: Buffer, { kind }: ExpectedKind, why: string): StatusError {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${shown(body)})`,
  );
}

/** Text as it is, bytes in hex; the beginning if it is long. */
function shown(body: Buffer): string {
  if (body.length === 0) return "<empty>";
  const isJson = body[0] === 0x7b;
  if (isJson) {
    return body.length > 1024 ? `${body.subarray(0, 1024).toString()} ...` : body.toString();
  }
  const hex = body.subarray(0, SHOWN_BYTES).toString("hex");
  return body.length > SHOWN_BYTES ? `${hex} ...` : hex;
}
