// A watch in its two parts: the state that it began with, and what came live.

import type { Bookmark, StreamItem, StreamRecord, WatchEvent } from "../record.ts";

export interface PartsOfStream {
  /** What was sent as the state; undefined if the watch did not begin with one. */
  readonly initial: readonly WatchEvent[] | undefined;
  /** Everything up to here is known to the client before the first live item. Undefined: it never got so far. */
  readonly base: number | undefined;
  readonly live: readonly StreamItem[];
}

export function partsOf({ start, items }: StreamRecord): PartsOfStream {
  if (start.from !== "state") return { initial: undefined, base: start.version, live: items };
  const end = items.findIndex((item) => item.type === "BOOKMARK" && item.endsInitial);
  const mark = items[end];
  if (mark === undefined) return { initial: undefined, base: undefined, live: [] };
  return {
    initial: items.slice(0, end).filter(isEvent),
    base: mark.revision,
    live: items.slice(end + 1),
  };
}

export function isEvent(item: StreamItem): item is WatchEvent {
  return item.type !== "BOOKMARK";
}

export function isBookmark(item: StreamItem): item is Bookmark {
  return item.type === "BOOKMARK";
}
