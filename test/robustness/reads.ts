// Reads, recorded: of one object, and of lists in every form that the API has.

import { pathOf, pathOfKey, type ShownObject, seen, splitKey } from "./content.ts";
import { type Key, type ListRecord, type SeenObject, type View, viewText } from "./record.ts";
import type { ActorOptions } from "./shared.ts";
import type { Reply } from "./transport.ts";

/** Undefined if there is none. */
export async function getObject(
  { shared, transport }: ActorOptions,
  key: Key,
): Promise<SeenObject | "no answer" | undefined> {
  const sentAfter = shared.moment;
  const reply = await transport.ask({ method: "GET", path: pathOfKey(key) }).catch(() => undefined);
  if (reply === undefined || (reply.status !== 200 && reply.status !== 404)) return "no answer";
  const found =
    reply.status === 404
      ? undefined
      : seen(splitKey(key).kind, JSON.parse(reply.text) as ShownObject);
  shared.run.gets.push({ key, sentAfter, found });
  if (found !== undefined) shared.told(found.revision);
  return found;
}

export interface ListQuery {
  readonly view: View;
  readonly asked: ListRecord["asked"];
  /** Undefined: all in one page. */
  readonly limit?: number | undefined;
  /** Called between pages. */
  readonly pause?: () => Promise<void>;
}

interface ListBody {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly ShownObject[];
}

interface StatusBody {
  readonly code: number;
  readonly reason: string;
}

export type Listed = ListRecord | "expired" | "no answer";

/** All pages. A list that is too old is recorded as such, with the version of a new one. */
export async function listObjects(actor: ActorOptions, query: ListQuery): Promise<Listed> {
  const { shared } = actor;
  const sentAfter = shared.moment;
  const pages: ListBody[] = [];
  for (let place: string | undefined = ""; place !== undefined; ) {
    const reply = await ask(actor, query, place);
    if (reply === undefined || reply.status >= 500) return "no answer";
    if (reply.status === 410) return expired(actor, query, { reply, version: versionOf(pages) });
    if (reply.status !== 200) throw new Error(`Cannot list ${viewText(query.view)}: ${reply.text}`);
    const page = JSON.parse(reply.text) as ListBody;
    pages.push(page);
    place = page.metadata.continue;
    if (place !== undefined) await query.pause?.();
  }
  const { view, asked } = query;
  const items = pages
    .flatMap((page) => page.items)
    .filter(({ metadata }) => shared.namespaces.includes(metadata.namespace))
    .map((object) => seen(view.kind, object));
  const version = versionOf(pages);
  const record: ListRecord = { view, asked, sentAfter, version, items, pages: pages.length };
  shared.run.lists.push(record);
  shared.told(version);
  return record;
}

function versionOf([first]: readonly ListBody[]): number {
  return Number(first?.metadata.resourceVersion ?? 0);
}

/** One page. Undefined if no answer came. */
function ask(
  { transport }: ActorOptions,
  { view, asked, limit }: ListQuery,
  place: string,
): Promise<Reply | undefined> {
  const query = viewQuery(view);
  if (limit !== undefined) query.set("limit", String(limit));
  if (place === "") {
    if (asked.match === "any") query.set("resourceVersion", "0");
    if ("version" in asked) {
      query.set("resourceVersion", String(asked.version));
      query.set("resourceVersionMatch", asked.match === "exact" ? "Exact" : "NotOlderThan");
    }
  } else query.set("continue", place);
  const path = `${pathOf(view.kind, view.namespace)}?${query.toString()}`;
  return transport.ask({ method: "GET", path }).catch(() => undefined);
}

/** The selectors of a view: a name is a field selector. */
export function viewQuery({ name, selector }: View): URLSearchParams {
  const query = new URLSearchParams();
  if (name !== undefined) query.set("fieldSelector", `metadata.name=${name}`);
  if (selector !== undefined) query.set("labelSelector", selector);
  return query;
}

async function expired(
  actor: ActorOptions,
  { view, asked }: ListQuery,
  { reply, version }: { readonly reply: Reply; readonly version: number },
): Promise<"expired"> {
  const { code, reason } = JSON.parse(reply.text) as StatusBody;
  const again = await listObjects(actor, { view, asked: { match: "newest" } });
  actor.shared.run.expiredLists.push({
    view,
    code,
    reason,
    version: "version" in asked ? asked.version : version,
    relisted: typeof again === "string" ? undefined : again.version,
  });
  return "expired";
}
