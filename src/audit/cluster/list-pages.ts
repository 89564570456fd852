// Lists of a server, page by page, so that no cluster is too large. What may not be listed, or is not served, is told and passed over.

import type { JsonObject } from "../../api/json.ts";
import { StatusError } from "../../api/status-error.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { type ResourceKind, resourcePath } from "../../client/resource-path.ts";

export interface Lists {
  readonly client: ApiClient;
  /** All of them if missing. */
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
  /** Sentences about what was refused. */
  readonly gaps: string[];
}

export interface ListAsked {
  readonly kind: ResourceKind;
  /** Names, annotations and who wrote what, but no contents: they never leave the server. */
  readonly isMetadataOnly?: boolean;
}

const PAGE = 500;
/** Nothing else is accepted: a server that cannot leave the contents out says so instead of sending them. */
const METADATA_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/** Every page of it. Ends early, with a gap told, when the server refuses. Throws if it cannot be reached. */
export async function* listPages(
  lists: Lists,
  asked: ListAsked,
): AsyncGenerator<readonly JsonObject[]> {
  const { client, namespace, signal } = lists;
  const { kind, isMetadataOnly = false } = asked;
  let next: string | undefined;
  do {
    const path = resourcePath(kind, { namespace }, { limit: PAGE, continue: next });
    const accept = isMetadataOnly ? { accept: METADATA_ONLY } : {};
    let answer: {
      readonly items?: readonly JsonObject[] | null;
      readonly metadata?: { readonly continue?: string };
    };
    try {
      answer = (await client.request({ method: "GET", path, signal, ...accept })) as typeof answer;
    } catch (err) {
      if (!(err instanceof StatusError)) throw err;
      lists.gaps.push(gapText(asked, err));
      return;
    }
    yield answer.items ?? [];
    next = answer.metadata?.continue;
  } while (next !== undefined && next !== "");
}

/** Whether the server has a group. Lists would not tell: whoever may not list it is refused, be it there or not. */
export async function servesGroup({ client, signal }: Lists, group: string): Promise<boolean> {
  try {
    await client.request({ method: "GET", path: `/apis/${group}`, signal });
    return true;
  } catch (err) {
    if (err instanceof StatusError) return false;
    throw err;
  }
}

function gapText(
  { kind, isMetadataOnly = false }: ListAsked,
  { code, message }: StatusError,
): string {
  const what = isMetadataOnly ? `the metadata of ${kind.resource}` : kind.resource;
  if (code === 410)
    return `${what} beyond the first pages: the list took longer than the server remembers`;
  return `${what}: ${message}`;
}
