// Genuine: every event is of a change that somebody made. Nothing is made up, and what was refused is never shown.

import { isEvent } from "./parts-of-stream.ts";
import { streamsOf, type Validator } from "./validator.ts";

export const genuine: Validator = function* ({ run, model }) {
  for (const { stream, who } of streamsOf(run)) {
    for (const { type, key, revision, content } of stream.items.filter(isEvent)) {
      if (model.at(revision)?.key === key) continue;
      yield `broke Genuine: ${who} got ${type} ${key} at ${revision}, which nobody wrote: ${content}`;
    }
  }
};
