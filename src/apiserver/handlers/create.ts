// POST of an object, and the first write of PUT and apply where they may create.

import type { ApiObject } from "../../api/object.ts";
import { alreadyExists, conflict, isAlreadyExists } from "../../api/status-error.ts";
import type { Answer } from "../http/answer.ts";
import { type Representation, representationFor } from "../http/media-type.ts";
import { readBody } from "../http/read-body.ts";
import {
  beforeCreate,
  generatedName,
  settlePlace,
  wipeIdentity,
} from "../registry/metadata-rules.ts";
import { named, objectKey } from "../registry/resource.ts";
import { admissionRequest, admitted } from "./admit.ts";
import { type RequestContext, timestamp } from "./context.ts";
import { decodeBody } from "./decode-body.ts";
import { trackedUpdate } from "./managed-fields.ts";
import { objectAnswer, valueAnswer } from "./object-answer.ts";
import { type WriteOptions, writeOptions } from "./write-options.ts";

/** A generated name that is taken is tried again; the chance that all are taken is one in 10^50. */
const NAME_TRIES = 8;

export async function create(context: RequestContext): Promise<Answer> {
  const { resource, request, info, warnings } = context;
  const representation = representationFor(request.headers.accept);
  const options = writeOptions(context, "CreateOptions");
  const object = decodeBody(await readBody(context), {
    contentType: request.headers["content-type"],
    expected: resource.kind,
    fieldValidation: options.fieldValidation,
    warnings,
  });
  resource.strategy.applyDefaults?.(object);
  settlePlace(resource, object, { namespace: info.namespace, name: "" });
  context.audit.refersTo(object.metadata);
  wipeIdentity(object);
  object.metadata.managedFields = trackedUpdate(context, {
    live: undefined,
    next: object,
    options,
  });
  await admitCreate(context, object, options);
  return createObject(context, object, options, representation);
}

/** Stores a new object that is decoded, defaulted and admitted, and has its managed fields. */
export async function createObject(
  context: RequestContext,
  object: ApiObject,
  options: WriteOptions,
  representation: Representation = representationFor(context.request.headers.accept),
): Promise<Answer> {
  const { generateName = "", name = "" } = object.metadata;
  if (name !== "" || generateName === "") return storeNew(context, object, options, representation);
  for (let attempt = 1; ; attempt++) {
    // A copy each time: preparing an object may write its name into it.
    const next = structuredClone(object);
    next.metadata.name = generatedName(generateName, context.parts.random);
    try {
      return await storeNew(context, next, options, representation);
    } catch (err) {
      if (!isAlreadyExists(err) || attempt === NAME_TRIES) throw err;
    }
  }
}

async function storeNew(
  context: RequestContext,
  object: ApiObject,
  { isDryRun }: WriteOptions,
  representation: Representation,
): Promise<Answer> {
  const { parts, resource, user, nowMs, warnings } = context;
  beforeCreate(resource, object, { now: timestamp(nowMs), nowMs, dryRun: isDryRun });
  const request = admissionRequest(context, { operation: "CREATE", object, isDryRun });
  await admitted(context, () => parts.admission.judge(request));
  warnings.push(...(resource.strategy.warnings?.(object, undefined) ?? []));
  const { name = "", namespace = "" } = object.metadata;
  const key = objectKey(resource.kind, namespace, name);
  if (isDryRun) {
    const isThere = (await parts.objects.get(resource, key)) !== undefined;
    if (isThere) throw alreadyExists(named(resource), name);
    return valueAnswer(context, 201, object, representation);
  }
  const stored = await parts.objects.create(resource, key, toStored(context, object), user.name);
  return objectAnswer(context, 201, stored, representation);
}

export function toStored({ resource }: RequestContext, object: ApiObject): ApiObject {
  return resource.view === undefined ? object : resource.view.toStored(object);
}

/** Before it is validated. What plug-ins fill in belongs to nobody: owners are known before. */
export async function admitCreate(
  context: RequestContext,
  object: ApiObject,
  { isDryRun }: WriteOptions,
): Promise<void> {
  const request = admissionRequest(context, { operation: "CREATE", object, isDryRun });
  await admitted(context, () => context.parts.admission.mutate(request));
}

/** Whoever names a uid means an object that was there. */
export function refuseUid({ resource, info }: RequestContext, { metadata }: ApiObject): void {
  if ((metadata.uid ?? "") === "") return;
  throw conflict(
    named(resource),
    info.name,
    `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`,
  );
}
