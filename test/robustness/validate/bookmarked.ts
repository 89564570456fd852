// Bookmarked: when a bookmark comes, everything in view up to its version has come before it.

import { isBookmark, isEvent, partsOf } from "./parts-of-stream.ts";
import { streamsOf, type Validator } from "./validator.ts";

export const bookmarked: Validator = function* ({ run, model }) {
  for (const { watcher, stream, who } of streamsOf(run)) {
    const { base = 0, live } = partsOf(stream);
    const places = new Map(live.map((item, i) => [isEvent(item) ? item.revision : -1 - i, i]));
    let checked = base;
    for (const [i, mark] of live.entries()) {
      if (!isBookmark(mark)) continue;
      const late = model
        .expected(watcher.view, checked, mark.revision)
        .filter(({ revision }) => (places.get(revision) ?? live.length) > i);
      checked = Math.max(checked, mark.revision);
      yield* late.map(
        ({ type, key, revision }) =>
          `broke Bookmarked: ${who} got the bookmark ${mark.revision} before ${revision} (${type} ${key})`,
      );
    }
  }
};
