// NoGap: of all that happened in view between the start of a watch and the last event that it got, nothing is missing;
// on a watch that was open when everything was over, nothing at all.

import { isEvent, partsOf } from "./parts-of-stream.ts";
import { streamsOf, type Validator } from "./validator.ts";

export const noGap: Validator = function* ({ run, model, finalRevision }) {
  for (const { watcher, stream, who } of streamsOf(run)) {
    const { base, live } = partsOf(stream);
    if (base === undefined) continue;
    const events = live.filter(isEvent);
    const last = events.at(-1)?.revision ?? base;
    const reached = stream.end === "open" ? finalRevision : last;
    const got = new Set(events.map(({ revision }) => revision));
    for (const { type, key, revision } of model.expected(watcher.view, base, reached)) {
      if (got.has(revision)) continue;
      const until = stream.end === "open" ? "until the end" : `but ${last}`;
      yield `broke NoGap: ${who} began at ${base} and did not get ${revision} (${type} ${key}) ${until}`;
    }
  }
};
