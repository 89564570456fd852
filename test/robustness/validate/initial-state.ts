// InitialState: a watch that begins with the state shows, up to the bookmark which ends it, exactly what there was at
// the bookmark's version; and that is no older than what anybody knew when the client asked.

import { partsOf } from "./parts-of-stream.ts";
import { differences } from "./same-state.ts";
import { streamsOf, type Validator } from "./validator.ts";

export const initialState: Validator = function* ({ run, model }) {
  for (const { watcher, stream, who } of streamsOf(run)) {
    const { initial, base } = partsOf(stream);
    if (initial === undefined || base === undefined || stream.start.from !== "state") continue;
    const known = model.known(stream.start.sentAfter);
    if (base < known) {
      yield `broke InitialState: ${who} began with the state of ${base}, but ${known} was known`;
    }
    for (const difference of differences(initial, model.stateAt(watcher.view, base))) {
      yield `broke InitialState: ${who} began with the state of ${base}, where ${difference}`;
    }
    const wrong = initial.find(({ type }) => type !== "ADDED");
    if (wrong !== undefined) {
      yield `broke InitialState: ${who} got ${wrong.type} ${wrong.key} before the state was complete`;
    }
  }
};
