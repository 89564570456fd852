// The two questions that a reflector asks, for one kind, one namespace or all, all objects or those selected.

import type { JsonValue } from "../api/json.ts";
import type { ApiObject } from "../api/object.ts";
import type { ApiClient } from "./api-client.ts";
import { jsonLines } from "./json-lines.ts";
import { type ResourceKind, resourcePath } from "./resource-path.ts";
import { isExpired } from "./status-answer.ts";

export interface WatchEvent {
  readonly type: string;
  /** Of ERROR a Status, of BOOKMARK an object with nothing but metadata. */
  readonly object: JsonValue;
}

interface Listed<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
}

interface WatchParameters {
  readonly resourceVersion: string;
  readonly timeoutSeconds: number;
  /** First what is there, as ADDED, then a bookmark that says that this was all. */
  readonly sendInitialEvents: boolean;
}

/** What a reflector needs of a server. */
export interface ListWatch<T> {
  /** For logs, such as { resource, namespace, name }. */
  readonly what: Readonly<Record<string, string>>;
  /** Shared by all who ask the same server. */
  readonly facts: { supportsWatchList: boolean };
  /** "0" for any version, "" for the newest, another for one that is not older. */
  list(resourceVersion: string, signal: AbortSignal): Promise<Listed<T>>;
  /** Settles when the server has agreed to watch. */
  watch(parameters: WatchParameters, signal: AbortSignal): Promise<AsyncIterable<WatchEvent>>;
}

export interface ListWatchOptions {
  readonly client: ApiClient;
  readonly kind: ResourceKind;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Asks for nothing but the metadata. Servers that cannot leave out the rest send it. */
  readonly isMetadataOnly?: boolean;
}

/** Of objects and of events in a watch: their metadata alone, or all of them if the server knows no better. */
export const METADATA: string = partial("PartialObjectMetadata");
/** The same of lists. */
export const METADATA_LIST: string = partial("PartialObjectMetadataList");

/** As client-go; servers with a cache ignore it for version 0. */
const PAGE = 500;

export function listWatchOf<T extends ApiObject>(options: ListWatchOptions): ListWatch<T> {
  const { client, kind, namespace, labelSelector, fieldSelector, isMetadataOnly } = options;
  const selectors = { labelSelector, fieldSelector };
  const form = isMetadataOnly === true ? { accept: METADATA } : {};
  return {
    what: {
      resource: kind.resource,
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
    },
    facts: client.facts,
    list: (resourceVersion, signal) => listAll<T>(options, resourceVersion, signal),
    async watch({ resourceVersion, timeoutSeconds, sendInitialEvents }, signal) {
      const query = {
        ...selectors,
        watch: 1,
        allowWatchBookmarks: true,
        timeoutSeconds,
        resourceVersion,
        ...(sendInitialEvents && {
          sendInitialEvents,
          resourceVersionMatch: "NotOlderThan",
        }),
      };
      const path = resourcePath(kind, { namespace }, query);
      const body = await client.stream({ method: "GET", path, signal, ...form });
      return jsonLines(body) as AsyncIterable<JsonValue> as AsyncIterable<WatchEvent>;
    },
  };
}

interface ListAnswer<T> {
  readonly items?: readonly T[] | null;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}

/** Page by page, unless a version is named: with a limit servers would want exactly that one, and not have it any more. */
async function listAll<T>(
  { client, kind, namespace, labelSelector, fieldSelector, isMetadataOnly }: ListWatchOptions,
  resourceVersion: string,
  signal: AbortSignal,
): Promise<Listed<T>> {
  const selectors = { labelSelector, fieldSelector };
  const form = isMetadataOnly === true ? { accept: METADATA_LIST } : {};
  const ask = async (
    query: Record<string, string | number | undefined>,
  ): Promise<ListAnswer<T>> => {
    const path = resourcePath(kind, { namespace }, { ...selectors, ...query });
    const answer = await client.request({
      ...{ method: "GET", path, signal, isPatient: true },
      ...form,
    });
    return answer as unknown as ListAnswer<T>;
  };
  const isPaged = resourceVersion === "" || resourceVersion === "0";
  const version = resourceVersion === "" ? {} : { resourceVersion };
  let page = await ask({ ...version, ...(isPaged && { limit: PAGE }) });
  const items = [...itemsOf(page)];
  while (page.metadata?.continue) {
    try {
      page = await ask({ limit: PAGE, continue: page.metadata.continue });
    } catch (err) {
      if (!isExpired(err)) throw err;
      // The list took longer than the server remembers: all at once, then.
      page = await ask({});
      items.length = 0;
    }
    items.push(...itemsOf(page));
  }
  return { items, resourceVersion: page.metadata?.resourceVersion ?? "" };
}

function itemsOf<T>({ items }: ListAnswer<T>): readonly T[] {
  return items ?? [];
}

function partial(as: string): string {
  return `application/json;as=${as};g=meta.k8s.io;v=v1,application/json`;
}
