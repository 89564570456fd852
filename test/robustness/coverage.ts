// What happened in a run, so that a test can insist on it: a promise that was never put to the test was not kept.

import type { RunRecord, StreamRecord } from "./record.ts";
import { isBookmark, partsOf } from "./validate/parts-of-stream.ts";

export interface Coverage {
  readonly events: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly unknown: number;
  readonly resumed: number;
  readonly initialStates: number;
  readonly bookmarks: number;
  readonly expiredWatches: number;
  readonly droppedReaders: number;
  readonly expiredLists: number;
  readonly pagedLists: number;
  readonly gets: number;
}

export function coverageOf({ writes, watchers, lists, gets, expiredLists }: RunRecord): Coverage {
  const streams = watchers.flatMap((watcher) => watcher.streams);
  const outcomes = writes.map(({ outcome }) => outcome.is);
  const isDropped = ({ error }: StreamRecord): boolean => /too slow/.test(error?.message ?? "");
  const liveItems = streams.flatMap((stream) => partsOf(stream).live.filter(isBookmark));
  return {
    events: streams.reduce(
      (sum, { items }) => sum + items.filter((item) => !isBookmark(item)).length,
      0,
    ),
    acknowledged: outcomes.filter((is) => is === "done" || is === "deleted").length,
    refused: outcomes.filter((is) => is === "refused").length,
    unknown: outcomes.filter((is) => is === "unknown").length,
    resumed: streams.filter(({ start, items }) => start.from === "seen" && items.length > 0).length,
    initialStates: streams.filter((stream) => partsOf(stream).initial !== undefined).length,
    bookmarks: liveItems.length,
    expiredWatches: streams.filter((stream) => stream.end === "expired" && !isDropped(stream))
      .length,
    droppedReaders: streams.filter(isDropped).length,
    expiredLists: expiredLists.length,
    pagedLists: lists.filter(({ pages }) => pages > 1).length,
    gets: gets.length,
  };
}

export function coverageText(coverage: Coverage): string {
  return Object.entries(coverage)
    .map(([what, count]) => `${what} ${count}`)
    .join(", ");
}
