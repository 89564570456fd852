// Server-side apply: the client says what it wants of an object; the server merges, and refuses what somebody else
// decided. The first apply of a name creates the object.

import { applyObject } from "../../api/apply/field-manager.ts";
import { decodeObject } from "../../api/decode.ts";
import { DecodeError } from "../../api/decode-error.ts";
import { strictErrors } from "../../api/decode-strictness.ts";
import { isJsonObject, type JsonObject } from "../../api/json.ts";
import { apiVersionOf } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import { badRequest, invalid as invalidStatus, isAlreadyExists } from "../../api/status-error.ts";
import { required } from "../../api/validation/field-error.ts";
import { FieldPath } from "../../api/validation/field-path.ts";
import { parseYamlText } from "../../api/yaml-text.ts";
import type { Answer } from "../http/answer.ts";
import { settlePlace, wipeIdentity } from "../registry/metadata-rules.ts";
import { objectKey } from "../registry/resource.ts";
import { type RequestContext, timestamp } from "./context.ts";
import { admitCreate, createObject, refuseUid } from "./create.ts";
import { ignoredBy } from "./managed-fields.ts";
import { updateObject } from "./update-object.ts";
import { metaKind, type WriteOptions } from "./write-options.ts";

export async function apply(
  context: RequestContext,
  body: Buffer,
  options: WriteOptions,
): Promise<Answer> {
  const { parts, resource, info } = context;
  const merge = applied(context, body, options);
  const key = objectKey(resource.kind, info.namespace, info.name);
  const isThere = (await parts.objects.get(resource, key)) !== undefined;
  if (!isThere && info.subresource === "") {
    await context.demand("create");
    const object = merge(undefined);
    refuseUid(context, object);
    await admitCreate(context, object, options);
    wipeIdentity(object);
    try {
      return await createObject(context, object, options);
    } catch (err) {
      if (!isAlreadyExists(err)) throw err; // Somebody was faster: then it is an update.
    }
  }
  return updateObject(context, { options, tracksFields: true, produce: merge });
}

/** Reads the configuration once; the function that comes back merges it into whatever is live. */
export function applied(
  context: RequestContext,
  body: Buffer,
  options: WriteOptions,
): (live: ApiObject | undefined) => ApiObject {
  // The name of the client's program is not good enough: ownership has to mean something next time.
  if ((context.query.get("fieldManager") ?? "") === "") {
    throw invalidStatus(metaKind("PatchOptions"), "", [
      required(FieldPath.of("fieldManager"), "is required for apply patch"),
    ]);
  }
  const wanted = configuration(context, body, options);
  return (live) => merged(context, { wanted, live, options });
}

function configuration(
  { warnings, info }: RequestContext,
  body: Buffer,
  { fieldValidation }: WriteOptions,
): JsonObject {
  const text = parsed(body);
  const { value } = text;
  if (!isJsonObject(value)) throw badRequest("error decoding YAML: the document is not an object");
  const problems = strictErrors(text, []);
  if (problems.length > 0 && fieldValidation === "Strict") {
    throw badRequest(`error strict decoding YAML: ${problems.join(", ")}`);
  }
  if (fieldValidation === "Warn") warnings.push(...problems);
  const metadata = isJsonObject(value["metadata"]) ? value["metadata"] : {};
  // The path says what the body leaves out.
  return {
    ...value,
    metadata: { ...metadata, ...(metadata["name"] === undefined && { name: info.name }) },
  };
}

function parsed(body: Buffer): ReturnType<typeof parseYamlText> {
  try {
    return parseYamlText(body.toString());
  } catch (err) {
    throw badRequest(`error encoding patch: ${err instanceof Error ? err.message : String(err)}`);
  }
}

interface MergeOptions {
  readonly wanted: JsonObject;
  readonly live: ApiObject | undefined;
  readonly options: WriteOptions;
}

function merged(context: RequestContext, { wanted, live, options }: MergeOptions): ApiObject {
  const { resource, info, nowMs } = context;
  const object = applyObject({
    type: resource.kind.schema,
    kind: resource.kind.kind,
    live,
    applied: wanted,
    manager: options.fieldManager,
    apiVersion: apiVersionOf(resource.kind),
    subresource: info.subresource,
    force: options.force,
    now: timestamp(nowMs),
    ignored: ignoredBy(context),
    decode: (value) => decoded(context, value),
  });
  // Parts that have not changed are those of the live object, which others read.
  const own = live === undefined ? object : structuredClone(object);
  settlePlace(resource, own, info);
  const version = isJsonObject(wanted["metadata"])
    ? wanted["metadata"]["resourceVersion"]
    : undefined;
  // A version in the configuration is a precondition, not something to merge.
  const resourceVersion = typeof version === "string" ? version : live?.metadata.resourceVersion;
  return { ...own, metadata: { ...own.metadata, resourceVersion } };
}

function decoded({ resource }: RequestContext, value: JsonObject): ApiObject {
  const { kind } = resource;
  try {
    const { kind: _, apiVersion: __, ...fields } = value;
    const { metadata, ...rest } = decodeObject(kind.schema, fields).object;
    const object: ApiObject = {
      kind: kind.kind,
      apiVersion: apiVersionOf(kind),
      metadata: isJsonObject(metadata) ? metadata : {},
      ...rest,
    };
    resource.strategy.applyDefaults?.(object);
    return object;
  } catch (err) {
    if (err instanceof DecodeError) throw badRequest(err.message);
    throw err;
  }
}
