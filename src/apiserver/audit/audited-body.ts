// What of a body may be in the audit log, and in which form: JSON, whatever it was sent as. Secrets never are.

import { isJsonObject, type JsonObject, type JsonValue } from "../../api/json.ts";
import { parseJsonText } from "../../api/json-text.ts";
import { typeOf } from "../../api/kinds.ts";
import { decodeProtobuf } from "../../api/protobuf/decode-protobuf.ts";
import { parseYamlText } from "../../api/yaml-text.ts";
import type { Action } from "../authorization.ts";
import { mediaType } from "../http/media-type.ts";

export interface Body {
  readonly pieces: readonly Uint8Array[];
  readonly contentType: string;
}

export interface AuditedBody {
  /** Undefined: not of a form that can be shown, or secret. */
  readonly object: JsonValue | undefined;
  readonly isTooLong: boolean;
}

/** Longer ones are left out: a list of everything would fill the log, and the time of all others while it is made. */
const MAX_BYTES = 256 * 1024;

const secretResources: ReadonlySet<string> = new Set([
  "secrets",
  "configrevisions",
  "tokenreviews",
]);
const secretKinds: ReadonlySet<unknown> = new Set([
  "Secret",
  "SecretList",
  "ConfigRevision",
  "ConfigRevisionList",
  "TokenRequest",
  "TokenReview",
]);

/**
 * Whether nothing of the bodies may be shown, whatever the policy says. What is no resource has no object to show, and
 * may be about credentials: nodes join there.
 */
export function hasSecretBody({ isResource, resource, subresource }: Action): boolean {
  if (!isResource || secretResources.has(resource)) return true;
  return resource === "serviceaccounts" && subresource === "token";
}

const nothing: AuditedBody = { object: undefined, isTooLong: false };

export function auditedBody(body: Body, omitManagedFields: boolean): AuditedBody {
  const length = body.pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > MAX_BYTES) return { object: undefined, isTooLong: true };
  const value = parsed(body);
  // A secret may be sent to the wrong place: it is refused there, and is a secret all the same.
  if (value === undefined || isSecret(value)) return nothing;
  return { object: omitManagedFields ? withoutManagedFields(value) : value, isTooLong: false };
}

/** What cannot be read was refused, or is not for reading; either way there is no object to show. */
function parsed({ pieces, contentType }: Body): JsonValue | undefined {
  const { type } = mediaType(contentType);
  const bytes = Buffer.concat(pieces);
  try {
    if (type.endsWith("protobuf")) return fromProtobuf(bytes);
    if (type.endsWith("yaml")) return parseYamlText(bytes.toString()).value;
    if (type === "" || type.endsWith("json")) return parseJsonText(bytes.toString()).value;
  } catch {
    return undefined; // Its failure is the handler's to tell.
  }
  return undefined;
}

function fromProtobuf(bytes: Uint8Array): JsonObject {
  const { apiVersion, kind, object } = decodeProtobuf(bytes, typeOf);
  return { kind, apiVersion, ...object };
}

/** An object of such a kind, or a list or table with one in it. */
function isSecret(value: JsonValue | undefined): boolean {
  if (!isJsonObject(value)) return false;
  if (secretKinds.has(value["kind"])) return true;
  return itemsOf(value).some((item) => isSecret(item));
}

function itemsOf({ items, rows }: JsonObject): readonly (JsonValue | undefined)[] {
  if (Array.isArray(items)) return items;
  if (!Array.isArray(rows)) return [];
  return rows.map((row) => (isJsonObject(row) ? row["object"] : undefined));
}

/** Of the object, and of those in a list. */
function withoutManagedFields(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const { metadata, items } = value;
  const { managedFields: _, ...rest } = isJsonObject(metadata) ? metadata : {};
  return {
    ...value,
    ...(isJsonObject(metadata) && { metadata: rest }),
    ...(Array.isArray(items) && { items: items.map(withoutManagedFields) }),
  };
}
