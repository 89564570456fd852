// Watches. The state, if it is wanted, then every change from the cache, each encoded once for all who watch it.
//
// (1) The response's head goes out at once: clients wait for it before they count themselves as watching.
// (2) In one turn: what is there now, the changes since, and joining the cache. Nothing can fall in between.
// (3) From then on the cache delivers; this function waits for the client to leave or the time to be over.

import { expired } from "../../api/status-error.ts";
import type { EventEncoder } from "../cache/cache-event.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import type { KindCache } from "../cache/kind-cache.ts";
import { Watcher } from "../cache/watcher.ts";
import { JSON_TYPE, warningHeader } from "../http/answer.ts";
import { isGone } from "../http/is-gone.ts";
import { representationFor } from "../http/media-type.ts";
import type { RequestContext } from "./context.ts";
import { eventEncoder } from "./event-encoder.ts";
import type { ListOptions } from "./list-options.ts";
import { recheckRights } from "./recheck-rights.ts";
import { ResponseSink } from "./response-sink.ts";
import { type Selection, selectionOf } from "./selection.ts";

/** Without a limit of its own a watch ends after half an hour to an hour, so that load spreads over servers. */
const MIN_TIMEOUT_SECONDS = 1800;
/**
 * Who is about to be sent away hears how far it is, and comes back with a version that is still known. A watch that
 * lasts only seconds needs none.
 */
const BOOKMARK_BEFORE_END_MS = 2000;
const BOOKMARK_FROM_MS = 10_000;
/** For the end of a watch to reach its client. */
const TAKE_MS = 60_000;
/** More than this nobody gets who asks for it. */
const MAX_TIMEOUT_SECONDS = 3600;

export async function watch(context: RequestContext, options: ListOptions): Promise<void> {
  const { parts, response, request } = context;
  const representation = representationFor(request.headers.accept, true);
  const selection = selectionOf(context);
  const encoder = eventEncoder(context, representation);
  // Before anything is waited for: a client that leaves meanwhile is seen to leave.
  const sink = new ResponseSink(response, encoder);
  const wantsState = startsWithState(options);
  if (wantsState && options.resourceVersion === undefined) await parts.cache.fresh();
  if (sink.isClosed) return;

  response.writeHead(200, {
    ...context.headers,
    "content-type": JSON_TYPE,
    "cache-control": "no-cache, private",
    ...warningHeader(context.warnings),
  }); // (1)
  response.flushHeaders();
  context.audit.respond(200);
  context.seat.release();
  const seconds = options.timeoutSeconds ?? 0;
  const timeoutMs =
    1000 *
    (seconds > 0
      ? Math.min(seconds, MAX_TIMEOUT_SECONDS)
      : MIN_TIMEOUT_SECONDS * (1 + parts.random.next()));
  using _ = parts.clock.schedule(timeoutMs, () => sink.end());
  await untilReached(context, options, sink);
  const watcher = start(context, { options, selection, encoder, sink }); // (2)
  const bookmarkMs = timeoutMs - BOOKMARK_BEFORE_END_MS;
  using _bookmark =
    options.allowBookmarks && timeoutMs >= BOOKMARK_FROM_MS
      ? parts.clock.schedule(bookmarkMs, () => {
          sink.send(encoder.bookmark(parts.cache.revision, false));
        })
      : undefined;
  using _rights = recheckRights(context, () => sink.end());
  await sink.closed; // (3)
  if (watcher !== undefined) context.resource.cache.leave(watcher);
  if (!response.writableFinished && !isGone(response)) dropIfNotTaken(context);
}

/** Whoever does not read what was sent to it does not keep the server from forgetting it. */
function dropIfNotTaken({ parts, response }: RequestContext): void {
  const timer = parts.clock.schedule(TAKE_MS, () => response.destroy());
  for (const event of ["finish", "close"]) response.once(event, () => timer[Symbol.dispose]());
}

/** No revision, or any: clients get what is there as ADDED. With sendInitialEvents they say so themselves. */
function startsWithState({ resourceVersion, sendInitialEvents }: ListOptions): boolean {
  return sendInitialEvents ?? (resourceVersion === undefined || resourceVersion === 0n);
}

/** A revision that has not happened yet is waited for, as long as the watch may last. */
async function untilReached(
  { parts }: RequestContext,
  { resourceVersion = 0n }: ListOptions,
  sink: ResponseSink,
): Promise<void> {
  const left = new AbortController();
  const reached = parts.cache.reached(resourceVersion, left.signal);
  if (reached === undefined) return;
  await Promise.race([reached, sink.closed]);
  left.abort();
}

interface StartOptions {
  readonly options: ListOptions;
  readonly selection: Selection;
  readonly encoder: EventEncoder;
  readonly sink: ResponseSink;
}

function start(context: RequestContext, start: StartOptions): Watcher | undefined {
  const { options, selection, encoder, sink } = start;
  const { cache } = context.resource;
  if (sink.isClosed) return undefined;
  const watcher = new Watcher({
    scope: selection.scope,
    matches: selection.matches,
    encoder,
    sink,
    bookmarks: options.allowBookmarks,
    nowMs: context.parts.clock.monotonicMs(),
  });
  const past = startsWithState(options)
    ? state(context, { options, selection, watcher })
    : changesSince(context, { options, selection, watcher });
  if (past === undefined) {
    const after = options.resourceVersion ?? 0n;
    sink.fail(expired(`too old resource version: ${after} (${context.parts.cache.revision})`));
    return undefined;
  }
  cache.join(watcher);
  // Failures are the client's leaving, which ends the watch anyway.
  sink.sendPast(past).catch(() => sink.end());
  return watcher;
}

interface PastOptions {
  readonly options: ListOptions;
  readonly selection: Selection;
  readonly watcher: Watcher;
}

/** What is there now, encoded as it is sent. */
function state(
  context: RequestContext,
  { options, selection, watcher }: PastOptions,
): Iterable<Buffer> {
  const objects = [...candidates(context.resource.cache, selection)];
  const { revision } = context.parts.cache;
  const marksEnd = options.allowBookmarks && endsInitial(options);
  return (function* frames() {
    for (const object of objects) {
      if (watcher.isInterestedIn(object)) yield watcher.encoder.encode("ADDED", object);
    }
    if (marksEnd) yield watcher.encoder.bookmark(revision, true);
  })();
}

/** The changes since the revision that the client has. Undefined if they are no longer known. */
function changesSince(
  context: RequestContext,
  { options, selection, watcher }: PastOptions,
): Iterable<Buffer> | undefined {
  const { cache } = context.resource;
  const after = options.resourceVersion ?? context.parts.cache.revision;
  if (!cache.reachesBack(after)) return undefined;
  const events = cache.since(after);
  return (function* frames() {
    for (const event of events) {
      if (!event.object.key.startsWith(selection.prefix)) continue;
      const frame = watcher.frameOf(event);
      if (frame !== undefined) yield frame;
    }
  })();
}

/** A watch of one object looks at that one only, however many there are beside it. */
function candidates(cache: KindCache, { scope, prefix }: Selection): Iterable<CachedObject> {
  if (scope.by !== "object") return cache.list(prefix);
  const only = cache.get(scope.key);
  return only === undefined ? [] : [only];
}

/** The current server marks the end of the state also for watches without a revision that allow bookmarks. */
function endsInitial({ sendInitialEvents, resourceVersion }: ListOptions): boolean {
  return sendInitialEvents === true || resourceVersion === undefined;
}
