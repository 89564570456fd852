// Replaces an object: PUT, every kind of patch, and the subresources that write the object itself.
//
// (1) make the new object from the live one   (2) check what the client knew of it   (3) who owns which field now
// (4) admission fills in, for nobody   (5) what an update may not touch, and validation   (6) admission judges
// (7) write; if somebody else wrote in between, from (1) again

import { settleTimes } from "../../api/apply/field-manager.ts";
import type { ApiObject } from "../../api/object.ts";
import {
  conflict,
  invalid as invalidStatus,
  modified,
  notFound,
  type StatusError,
} from "../../api/status-error.ts";
import { invalid } from "../../api/validation/field-error.ts";
import { FieldPath } from "../../api/validation/field-path.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import type { Answer } from "../http/answer.ts";
import { representationFor } from "../http/media-type.ts";
import { beforeUpdate } from "../registry/metadata-rules.ts";
import type { Change } from "../registry/object-store.ts";
import { named, objectKey, type Resource, shownObject } from "../registry/resource.ts";
import { admissionRequest, admitted } from "./admit.ts";
import { type RequestContext, timestamp } from "./context.ts";
import { toStored } from "./create.ts";
import { isReadyToGo } from "./delete.ts";
import { trackedUpdate } from "./managed-fields.ts";
import { objectAnswer, valueAnswer } from "./object-answer.ts";
import type { WriteOptions } from "./write-options.ts";

export interface UpdatePlan {
  readonly options: WriteOptions;
  /**
   * Makes a new object, decoded and defaulted. It shares nothing with the live one, because it will be changed
   * and the live one is read by others. May be called several times.
   */
  produce(live: ApiObject): ApiObject;
  /** The body of a PUT means one object: another one of the same name is a conflict. */
  readonly isWhole?: boolean;
  /** Apply says itself who owns what. */
  readonly tracksFields?: boolean;
}

export interface Updated {
  readonly object: ApiObject;
  /** Undefined if it was a dry run, or the object went with its last finalizer. */
  readonly stored: CachedObject | undefined;
}

export async function updateObject(context: RequestContext, plan: UpdatePlan): Promise<Answer> {
  const representation = representationFor(context.request.headers.accept);
  const { object, stored } = await updated(context, plan);
  return stored === undefined
    ? valueAnswer(context, 200, object, representation)
    : objectAnswer(context, 200, stored, representation);
}

export async function updated(context: RequestContext, plan: UpdatePlan): Promise<Updated> {
  const { parts, resource, info, user } = context;
  const key = objectKey(resource.kind, info.namespace, info.name);
  let made: ApiObject | undefined;
  let warnings: readonly string[] = [];
  const decide = (current: CachedObject | undefined): Change => {
    if (current === undefined) throw notFound(named(resource), info.name);
    const live = shownObject(resource, current);
    made = nextObject(context, plan, live);
    warnings = resource.strategy.warnings?.(made, live) ?? [];
    if (isDone(made)) return { do: "delete" };
    return { do: "write", object: toStored(context, made) };
  };
  if (plan.options.isDryRun) {
    await admitted(context, async () => decide(await parts.objects.get(resource, key)));
    context.warnings.push(...warnings);
    return { object: some(made), stored: undefined };
  }
  const outcome = await admitted(context, () =>
    parts.objects.change(resource, key, decide, user.name),
  );
  context.warnings.push(...warnings);
  return { object: some(made), stored: outcome.was === "deleted" ? undefined : outcome.object };
}

function nextObject(context: RequestContext, plan: UpdatePlan, live: ApiObject): ApiObject {
  const { parts, resource, info, nowMs } = context;
  const { options } = plan;
  const { isDryRun } = options;
  const object = plan.produce(live); // (1)
  checkVersion(context, object, live); // (2)
  if (plan.isWhole === true) checkUid(context, object, live);
  object.metadata.resourceVersion = live.metadata.resourceVersion;
  const asked = { operation: "UPDATE", object, old: live, isDryRun } as const;
  const request = admissionRequest(context, asked);
  if (plan.tracksFields !== true) {
    object.metadata.managedFields = trackedUpdate(context, { live, next: object, options }); // (3)
  }
  parts.admission.mutate(request); // (4)
  beforeUpdate(resource, object, live, {
    context: { now: timestamp(nowMs), nowMs, dryRun: isDryRun },
    subresource: info.subresource,
  }); // (5)
  parts.admission.judge(request); // (6)
  return settleTimes(live, object);
}

function checkVersion(
  { resource, info }: RequestContext,
  { metadata }: ApiObject,
  live: ApiObject,
): void {
  const version = metadata.resourceVersion ?? "";
  if (version !== "" && version !== "0" && version !== live.metadata.resourceVersion) {
    throw modified(named(resource), info.name);
  }
  if ((version === "" || version === "0") && resource.strategy.requiresResourceVersion === true) {
    const path = FieldPath.of("metadata", "resourceVersion");
    const error = invalid(path, 0, "must be specified for an update");
    throw invalidStatus(named(resource), info.name, [
      { ...error, message: error.message.replace("0:", "0x0:") },
    ]);
  }
}

function checkUid(
  { resource, info }: RequestContext,
  { metadata }: ApiObject,
  live: ApiObject,
): void {
  const uid = metadata.uid ?? "";
  if (uid !== "" && uid !== live.metadata.uid) {
    throw preconditionFailed(
      resource,
      info,
      `UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`,
    );
  }
}

/** In the words of the original's store, which clients see. */
export function preconditionFailed(
  resource: Resource,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  why: string,
): StatusError {
  const key = `/registry/${resource.kind.resource}/${objectKey(resource.kind, namespace, name)}`;
  return conflict(
    named(resource),
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${why}`,
  );
}

/** Deleted long ago, and the last one who held it has let go. */
function isDone(object: ApiObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && isReadyToGo(object);
}

function some(object: ApiObject | undefined): ApiObject {
  if (object === undefined) throw new Error("Cannot answer an update that was never decided");
  return object;
}
