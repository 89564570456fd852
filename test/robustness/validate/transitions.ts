// Transitions: an event is ADDED, MODIFIED or DELETED as the object enters, stays in or leaves the view, with the new
// content, or the last one that was in view; and a change outside of the view is not told.

import { isEvent, partsOf } from "./parts-of-stream.ts";
import { streamsOf, type Validator } from "./validator.ts";

export const transitions: Validator = function* ({ run, model }) {
  for (const { watcher, stream, who } of streamsOf(run)) {
    for (const event of partsOf(stream).live.filter(isEvent)) {
      const change = model.at(event.revision);
      if (change?.key !== event.key) continue; // That is for Genuine.
      const due = model.shown(watcher.view, change);
      const got = `${event.type} ${event.key} at ${event.revision} as ${event.content}`;
      if (due === undefined) {
        yield `broke Transitions: ${who} got ${got}, which is not in its view`;
      } else if (due.type !== event.type || due.content !== event.content) {
        yield `broke Transitions: ${who} got ${got}, not ${due.type} as ${due.content}`;
      }
    }
  }
};
