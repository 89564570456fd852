// Ordered: on one watch resourceVersions only grow, and a bookmark is never behind anything that came before it.

import { partsOf } from "./parts-of-stream.ts";
import { streamsOf, type Validator } from "./validator.ts";

export const ordered: Validator = function* ({ run }) {
  for (const { stream, who } of streamsOf(run)) {
    const { base = 0, live } = partsOf(stream);
    let [last, lastEvent] = [base, base];
    for (const { type, revision } of live) {
      const isBehind = type === "BOOKMARK" ? revision < last : revision <= lastEvent;
      if (isBehind) {
        yield `broke Ordered: ${who} got ${type} ${revision} after ${last}`;
      }
      last = Math.max(last, revision);
      if (type !== "BOOKMARK") lastEvent = revision;
    }
  }
};
