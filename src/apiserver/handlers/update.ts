// PUT.

import type { ApiObject } from "../../api/object.ts";
import { isAlreadyExists } from "../../api/status-error.ts";
import type { Answer } from "../http/answer.ts";
import { readBody } from "../http/read-body.ts";
import { settlePlace, wipeIdentity } from "../registry/metadata-rules.ts";
import { objectKey } from "../registry/resource.ts";
import type { RequestContext } from "./context.ts";
import { admitCreate, createObject, refuseUid } from "./create.ts";
import { decodeBody } from "./decode-body.ts";
import { trackedUpdate } from "./managed-fields.ts";
import { updateObject } from "./update-object.ts";
import { type WriteOptions, writeOptions } from "./write-options.ts";

export async function update(context: RequestContext): Promise<Answer> {
  const options = writeOptions(context, "UpdateOptions");
  const body = await readBody(context);
  const object = decoded(context, body, options);
  const created = await createIfMissing(context, object, options);
  if (created !== undefined) return created;
  // What is made of it is stored and shared: a further attempt starts from the body.
  let unused: ApiObject | undefined = object;
  const produce = (): ApiObject => {
    const next = unused ?? decoded(context, body, options);
    unused = undefined;
    return next;
  };
  return updateObject(context, { options, isWhole: true, produce });
}

function decoded(
  { resource, request, info, warnings }: RequestContext,
  body: Buffer,
  { fieldValidation }: WriteOptions,
): ApiObject {
  const object = decodeBody(body, {
    contentType: request.headers["content-type"],
    expected: resource.kind,
    fieldValidation,
    warnings,
  });
  resource.strategy.applyDefaults?.(object);
  settlePlace(resource, object, info);
  return object;
}

/** For the kinds whose clients rely on it. Undefined if the object is there. */
async function createIfMissing(
  context: RequestContext,
  object: ApiObject,
  options: WriteOptions,
): Promise<Answer | undefined> {
  const { parts, resource, info } = context;
  if (resource.strategy.createsOnUpdate !== true || info.subresource !== "") return undefined;
  const key = objectKey(resource.kind, info.namespace, info.name);
  if ((await parts.objects.get(resource, key)) !== undefined) return undefined;
  await context.demand("create");
  const copy = structuredClone(object);
  refuseUid(context, copy);
  wipeIdentity(copy);
  copy.metadata.resourceVersion = "";
  copy.metadata.managedFields = trackedUpdate(context, { live: undefined, next: copy, options });
  await admitCreate(context, copy, options);
  try {
    return await createObject(context, copy, options);
  } catch (err) {
    if (isAlreadyExists(err)) return undefined; // Somebody was faster: then it is an update.
    throw err;
  }
}
