// What the reload controller keeps of ConfigMaps and Secrets: a hash per key, never what is in them. The digest is made where an object comes in from the
// server, so that no copy of the content stays anywhere.

import type { ConfigKind } from "../../api/config/pod-uses.ts";
import type { JsonValue } from "../../api/json.ts";
import type { ApiObject } from "../../api/object.ts";
import { contentVersion } from "../../base/content-version.ts";
import { objectContent } from "../../base/object-content.ts";
import type { ListWatch, WatchEvent } from "../../client/list-watch.ts";

export interface ConfigDigest extends ApiObject {
  readonly kind: ConfigKind;
  /** Of the whole object, as views have it. */
  readonly version: string;
  readonly hashes: Record<string, string>;
  /** The same content as the object of this name would have had it that was there before: a Secret's hashes are keyed with its uid. */
  readonly formerHashes: Record<string, string>;
}

/** Of 32 bits: two contents of one key are taken for the same once in four thousand million changes. */
const HASH_DIGITS = 8;
/** Of how many objects it is remembered which uid they had: those that were deleted longest ago are forgotten. */
const MAX_UIDS = 50_000;

interface Uids {
  readonly uid: string;
  readonly former: string | undefined;
}

/** Gives digests instead of the objects that the other one gives. */
export function digestsOf(
  kind: ConfigKind,
  objects: ListWatch<ApiObject>,
): ListWatch<ConfigDigest> {
  const uids = new Map<string, Uids>();
  const digest = (object: ApiObject): ConfigDigest =>
    digestOf(kind, object, formerUid(uids, object));
  return {
    what: objects.what,
    facts: objects.facts,
    async list(resourceVersion, signal) {
      const listed = await objects.list(resourceVersion, signal);
      return { ...listed, items: listed.items.map(digest) };
    },
    async watch(parameters, signal) {
      const events = await objects.watch(parameters, signal);
      return digestEvents(events, digest);
    },
  };
}

async function* digestEvents(
  events: AsyncIterable<WatchEvent>,
  digest: (object: ApiObject) => ConfigDigest,
): AsyncGenerator<WatchEvent> {
  for await (const { type, object } of events) {
    const isObject = type === "ADDED" || type === "MODIFIED" || type === "DELETED";
    yield { type, object: isObject ? (digest(object as ApiObject) as JsonValue) : object };
  }
}

function formerUid(uids: Map<string, Uids>, { metadata }: ApiObject): string | undefined {
  const { namespace = "", name = "", uid = "" } = metadata;
  const key = `${namespace}/${name}`;
  const held = uids.get(key);
  if (held?.uid === uid) return held.former;
  uids.delete(key);
  uids.set(key, { uid, former: held?.uid });
  for (const oldest of uids.keys()) {
    if (uids.size <= MAX_UIDS) break;
    uids.delete(oldest);
  }
  return held?.uid;
}

function digestOf(kind: ConfigKind, object: ApiObject, former: string | undefined): ConfigDigest {
  const content = objectContent(kind, object);
  const { namespace, name, uid = "", resourceVersion, annotations } = object.metadata;
  const metadata = { namespace, name, uid, resourceVersion, annotations: rulesIn(annotations) };
  return {
    kind,
    metadata: JSON.parse(JSON.stringify(metadata)) as ApiObject["metadata"],
    version: contentVersion({ kind, uid }, content),
    hashes: hashesOf({ kind, uid }, content),
    formerHashes: former === undefined ? {} : hashesOf({ kind, uid: former }, content),
  };
}

/** What the object itself says about restarts; other annotations may be as large as the content. */
function rulesIn(annotations: ApiObject["metadata"]["annotations"]): Record<string, string> {
  const all = Object.entries(annotations ?? {});
  return Object.fromEntries(all.filter(([name]) => name.startsWith("reloader.stakater.com/")));
}

function hashesOf(
  of: { readonly kind: ConfigKind; readonly uid: string },
  content: ReadonlyMap<string, Uint8Array>,
): Record<string, string> {
  const hashes: Record<string, string> = {};
  for (const [key, bytes] of content) {
    hashes[key] = contentVersion(of, new Map([[key, bytes]])).slice(0, HASH_DIGITS);
  }
  return hashes;
}
