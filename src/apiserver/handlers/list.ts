// Lists. The present comes from the cache; a page of a list that began earlier, and a list as of an exact revision,
// come from the store's history unless nothing has changed since.

import { badRequest, expired } from "../../api/status-error.ts";
import { CompactedError, FutureRevisionError } from "../../storage/store.ts";
import { CachedObject } from "../cache/cached-object.ts";
import type { Answer } from "../http/answer.ts";
import { representationFor } from "../http/media-type.ts";
import type { RequestContext } from "./context.ts";
import { decodePlace, encodePlace, type Place } from "./continue-token.ts";
import { notOlderThan } from "./get.ts";
import type { ListOptions } from "./list-options.ts";
import { type ListMeta, listAnswer } from "./object-answer.ts";
import { type Selection, selectionOf } from "./selection.ts";

export async function list(context: RequestContext, options: ListOptions): Promise<Answer> {
  const representation = representationFor(context.request.headers.accept, true);
  const page = await listPage(context, options);
  return listAnswer(context, page.items, page.meta, representation);
}

interface Page {
  readonly items: readonly CachedObject[];
  readonly meta: ListMeta;
}

export async function listPage(context: RequestContext, options: ListOptions): Promise<Page> {
  const selection = selectionOf(context);
  const place = options.continue === "" ? undefined : decodePlace(options.continue);
  if (
    place !== undefined &&
    options.resourceVersion !== undefined &&
    options.resourceVersion !== 0n
  ) {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  const exact = exactRevision(options, place);
  if (exact === undefined) {
    await present(context, options);
    const source = context.resource.cache.list(selection.prefix, startOf(selection, place));
    return cut({ source, selection, revision: context.parts.cache.revision, options });
  }
  const after = startOf(selection, place);
  const { limit } = options;
  const { objects, beyond } = await asOf(context, { selection, revision: exact, after, limit });
  return cut({ source: objects, beyond, selection, revision: exact, options });
}

/** The key after which the page begins; "" for the first one. */
function startOf({ prefix }: Selection, place: Place | undefined): string {
  return place === undefined ? "" : prefix + place.after;
}

function exactRevision(options: ListOptions, place: Place | undefined): bigint | undefined {
  if (place !== undefined) return place.revision;
  return options.match === "Exact" ? options.resourceVersion : undefined;
}

async function present(context: RequestContext, { resourceVersion }: ListOptions): Promise<void> {
  if (resourceVersion === undefined) await context.parts.cache.fresh();
  else await notOlderThan(context, resourceVersion);
}

interface PastQuery {
  readonly selection: Selection;
  readonly revision: bigint;
  readonly after: string;
  readonly limit: number;
}

interface Past {
  readonly objects: readonly CachedObject[];
  /** How many more there are. */
  readonly beyond: number;
}

/** The state at a revision: the cache's, if the kind has not changed since, or the store's. */
async function asOf(context: RequestContext, query: PastQuery): Promise<Past> {
  const { resource, parts } = context;
  const { selection, revision, after, limit } = query;
  await notOlderThan(context, revision);
  if (resource.cache.changedRevision <= revision) {
    // All of it in this turn: in the next one it may have changed.
    return { objects: [...resource.cache.list(selection.prefix, after)], beyond: 0 };
  }
  const { prefix, head } = resource.storage;
  try {
    const { items, remaining } = await parts.store.range({
      prefix: prefix + selection.prefix,
      revision,
      ...(after !== "" && { after: prefix + after }),
      // Only what is shown, unless it has to be looked for.
      ...(limit > 0 && selection.matches === undefined && { limit }),
    });
    const objects = items.map(({ key, value, revision: written }) =>
      CachedObject.fromStored({ key: key.slice(prefix.length), value, revision: written, head }),
    );
    return { objects, beyond: remaining };
  } catch (err) {
    const isTooOld = err instanceof CompactedError || err instanceof FutureRevisionError;
    throw isTooOld ? tooOld(selection, after) : err;
  }
}

/** A client in the middle of a list is given a place from which it can go on, with what is there now. */
function tooOld({ prefix }: Selection, after: string): Error {
  if (after === "") return expired("The resourceVersion for the provided list is too old.");
  return expired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
    encodePlace({ revision: undefined, after: after.slice(prefix.length) }),
  );
}

interface CutOptions {
  readonly source: Iterable<CachedObject>;
  /** What comes after the source. */
  readonly beyond?: number;
  readonly selection: Selection;
  readonly revision: bigint;
  readonly options: ListOptions;
}

function cut({ source, beyond = 0, selection, revision, options }: CutOptions): Page {
  // "Anything will do" gets everything: the limit is for lists that are read from the store.
  const isAnything = options.resourceVersion === 0n && options.match === "";
  const limit = isAnything || options.limit === 0 ? Number.POSITIVE_INFINITY : options.limit;
  const items: CachedObject[] = [];
  let remaining = beyond;
  for (const object of source) {
    if (selection.matches?.(object) === false) continue;
    if (items.length < limit) items.push(object);
    else remaining++;
  }
  const meta: ListMeta = { resourceVersion: String(revision) };
  const last = items.at(-1);
  if (remaining === 0 || last === undefined) return { items, meta };
  return {
    items,
    meta: {
      ...meta,
      continue: encodePlace({ revision, after: last.key.slice(selection.prefix.length) }),
      // With a selector the original does not know, and clients expect it not to.
      ...(selection.matches === undefined && { remainingItemCount: remaining }),
    },
  };
}
