// GET of one object.

import { notFound, StatusError } from "../../api/status-error.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import type { Answer } from "../http/answer.ts";
import { representationFor } from "../http/media-type.ts";
import { named, objectKey } from "../registry/resource.ts";
import type { RequestContext } from "./context.ts";
import { parseVersion } from "./list-options.ts";
import { objectAnswer } from "./object-answer.ts";

export async function get(context: RequestContext): Promise<Answer> {
  const representation = representationFor(context.request.headers.accept);
  return objectAnswer(context, 200, await readObject(context), representation);
}

/** As new as the request demands. Throws NotFound. */
export async function readObject(context: RequestContext): Promise<CachedObject> {
  const { parts, resource, info, query } = context;
  const version = parseVersion(query.get("resourceVersion") ?? "");
  if (version === undefined) await parts.cache.fresh();
  else await notOlderThan(context, version);
  const found = resource.cache.get(objectKey(resource.kind, info.namespace, info.name));
  if (found === undefined) throw notFound(named(resource), info.name);
  return found;
}

/** How long a reader waits for a revision that has not happened. As in the original. */
const FUTURE_WAIT_MS = 3000;

/** Resolves when the cache is at least this new; a revision that does not come is a time-out for the client. */
export async function notOlderThan({ parts }: RequestContext, revision: bigint): Promise<void> {
  const late = new AbortController();
  const reached = parts.cache.reached(revision, late.signal);
  if (reached === undefined) return;
  using _ = parts.clock.schedule(FUTURE_WAIT_MS, () => late.abort());
  await reached;
  if (late.signal.aborted) throw tooLarge(revision, parts.cache.revision);
}

function tooLarge(asked: bigint, current: bigint): StatusError {
  return new StatusError({
    code: 504,
    reason: "Timeout",
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
  });
}
