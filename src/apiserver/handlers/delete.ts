// DELETE of one object: at once, or in steps when somebody has to let go of it first (finalizers) or it needs time to
// stop (grace periods).

import type { ApiObject } from "../../api/object.ts";
import { conflict, notFound } from "../../api/status-error.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import { type Answer, successAnswer } from "../http/answer.ts";
import { representationFor } from "../http/media-type.ts";
import { readBody } from "../http/read-body.ts";
import type { Change } from "../registry/object-store.ts";
import { named, objectKey, shownObject } from "../registry/resource.ts";
import { admissionRequest, admitted } from "./admit.ts";
import { type RequestContext, timestamp } from "./context.ts";
import { toStored } from "./create.ts";
import { type DeleteOptions, deleteOptions } from "./delete-options.ts";
import { objectAnswer, valueAnswer } from "./object-answer.ts";

export async function deleteOne(context: RequestContext): Promise<Answer> {
  const { resource, request, info } = context;
  const representation = representationFor(request.headers.accept);
  const options = deleteOptions(context, await readBody(context));
  const { object, isGone, stored } = await deleted(context, info.name, options);
  if (isGone && resource.strategy.returnsDeleted !== true) {
    const { group, resource: plural } = resource.kind;
    const { uid } = object.metadata;
    return successAnswer(200, {
      name: info.name,
      ...(group !== "" && { group }),
      kind: plural,
      ...(uid !== undefined && { uid }),
    });
  }
  return stored === undefined
    ? valueAnswer(context, 200, object, representation)
    : objectAnswer(context, 200, stored, representation);
}

export interface Deleted {
  readonly object: ApiObject;
  readonly isGone: boolean;
  readonly stored: CachedObject | undefined;
}

/** Throws NotFound and Conflict. */
export async function deleted(
  context: RequestContext,
  name: string,
  options: DeleteOptions,
  namespace: string = context.info.namespace,
): Promise<Deleted> {
  const { parts, resource } = context;
  const key = objectKey(resource.kind, namespace, name);
  let last: ApiObject | undefined;
  /** A step of ours was written: what was demanded held then, and who finishes it now finishes it for us too. */
  let isMarked = false;
  const decide = (current: CachedObject | undefined): Change => {
    if (current === undefined && isMarked) return { do: "nothing" };
    if (current === undefined) throw notFound(named(resource), name);
    const live = shownObject(resource, current);
    if (!isMarked) {
      checkPreconditions(context, live, options);
      const { isDryRun } = options;
      const asked = { operation: "DELETE", old: live, isDryRun, name, namespace } as const;
      parts.admission.judge(admissionRequest(context, asked));
    }
    const next = nextState(context, live, options);
    last = next ?? live;
    return next === undefined ? { do: "delete" } : { do: "write", object: toStored(context, next) };
  };
  if (options.isDryRun) {
    const change = await admitted(context, async () =>
      decide(await parts.objects.get(resource, key)),
    );
    return { object: some(last), isGone: change.do === "delete", stored: undefined };
  }
  for (;;) {
    const outcome = await admitted(context, () => parts.objects.change(resource, key, decide));
    const object = some(last);
    const { object: stored } = outcome;
    if (outcome.was === "deleted" || stored === undefined) {
      return { object: withVersion(object, stored), isGone: true, stored };
    }
    if (!isReadyToGo(object)) return { object, isGone: false, stored };
    isMarked = true;
  }
}

/** What the object becomes on its way out; undefined if it can go now. */
function nextState(
  context: RequestContext,
  live: ApiObject,
  options: DeleteOptions,
): ApiObject | undefined {
  const grace = graceOf(context, live, options);
  if (grace === "pending") return live;
  const finalizers = finalizersFor(context, live, options);
  const isHeld = finalizers.length > 0 || hasSpecFinalizers(live);
  if (grace === undefined && !isHeld) return undefined;
  return marked(context, live, { grace, finalizers });
}

/** The object with what says that it is on its way out. */
function marked(
  { resource, nowMs }: RequestContext,
  live: ApiObject,
  {
    grace,
    finalizers,
  }: { readonly grace: Grace | undefined; readonly finalizers: readonly string[] },
): ApiObject {
  const { metadata } = live;
  const isFirst = metadata.deletionTimestamp === undefined;
  const object: ApiObject = {
    ...live,
    metadata: {
      ...metadata,
      ...(isFirst && metadata.generation !== undefined && { generation: metadata.generation + 1 }),
      deletionTimestamp: grace?.at ?? metadata.deletionTimestamp ?? timestamp(nowMs),
      deletionGracePeriodSeconds: grace?.seconds ?? 0,
      finalizers: finalizers.length === 0 ? undefined : [...finalizers],
    },
  };
  return resource.strategy.markDeleted?.(object) ?? object;
}

interface Grace {
  readonly seconds: number;
  /** When it will be over. */
  readonly at: string;
}

/** A thousand years: what is asked for beyond has no date in four digits. */
const MAX_GRACE_SECONDS = 1000 * 365 * 24 * 3600;

function graceOf(
  { resource, nowMs }: RequestContext,
  live: ApiObject,
  { gracePeriodSeconds }: DeleteOptions,
): Grace | "pending" | undefined {
  const { strategy } = resource;
  if (strategy.gracePeriod === undefined) return undefined;
  const requested =
    gracePeriodSeconds !== undefined && gracePeriodSeconds < 0 ? 1 : gracePeriodSeconds;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = live.metadata;
  if (deletionTimestamp === undefined) {
    const period = strategy.gracePeriod(live, requested);
    if (period === undefined) return undefined;
    const seconds = Math.min(period.seconds, MAX_GRACE_SECONDS);
    return { seconds, at: timestamp(nowMs + seconds * 1000) };
  }
  if (deletionGracePeriodSeconds === 0) return undefined;
  // Once it is on its way out, the time can only be shortened.
  if (requested === undefined || requested >= deletionGracePeriodSeconds) return "pending";
  const began = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  const ends = began + requested * 1000;
  if (ends >= nowMs) return { seconds: requested, at: timestamp(ends) };
  return { seconds: requested === 0 ? 0 : 1, at: timestamp(nowMs) };
}

const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

/** The garbage collector's own finalizers say what becomes of dependents. */
function finalizersFor(
  { resource }: RequestContext,
  live: ApiObject,
  options: DeleteOptions,
): readonly string[] {
  const given = live.metadata.finalizers ?? [];
  const wanted = options.propagation ?? standing(given) ?? resource.strategy.defaultPropagation;
  return [
    ...given.filter((name) => name !== ORPHAN && name !== FOREGROUND),
    ...(wanted === "Orphan" ? [ORPHAN] : []),
    ...(wanted === "Foreground" ? [FOREGROUND] : []),
  ];
}

/** What an earlier request asked for. */
function standing(finalizers: readonly string[]): DeleteOptions["propagation"] {
  if (finalizers.includes(ORPHAN)) return "Orphan";
  return finalizers.includes(FOREGROUND) ? "Foreground" : undefined;
}

/** Namespaces have finalizers in their spec too. */
function hasSpecFinalizers({ spec }: ApiObject): boolean {
  if (typeof spec !== "object" || spec === null || Array.isArray(spec)) return false;
  const finalizers = spec["finalizers"];
  return Array.isArray(finalizers) && finalizers.length > 0;
}

/** Nobody holds it any more. */
export function isReadyToGo(object: ApiObject): boolean {
  const { finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
  return finalizers.length === 0 && !hasSpecFinalizers(object) && deletionGracePeriodSeconds === 0;
}

function checkPreconditions(
  { resource }: RequestContext,
  { metadata }: ApiObject,
  { preconditions }: DeleteOptions,
): void {
  const { kind } = resource;
  const as = { group: kind.group, resource: kind.kind, kind: kind.kind };
  const { uid, resourceVersion } = preconditions;
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      as,
      metadata.name ?? "",
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      as,
      metadata.name ?? "",
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
}

function withVersion(object: ApiObject, stored: CachedObject | undefined): ApiObject {
  if (stored === undefined) return object;
  return {
    ...object,
    metadata: { ...object.metadata, resourceVersion: String(stored.revision) },
  } as ApiObject;
}

function some(object: ApiObject | undefined): ApiObject {
  if (object === undefined) throw new Error("Cannot answer a deletion that was never decided");
  return object;
}
