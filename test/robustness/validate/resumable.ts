// Resumable: a client that comes back with the last version that it saw continues with the very next change in its
// view, or is told that it cannot. It is never told that without need by a watch which then delivers.

import { isEvent, partsOf } from "./parts-of-stream.ts";
import { streamsOf, type Validator } from "./validator.ts";

export const resumable: Validator = function* ({ run, model }) {
  for (const { watcher, stream, who, previous } of streamsOf(run)) {
    if (stream.start.from !== "seen") continue;
    const { version } = stream.start;
    const seenVersion = previous && lastSeen(previous);
    if (seenVersion !== undefined && seenVersion !== version) {
      yield `broke Resumable: ${who} resumed from ${version}, but had seen ${seenVersion}`;
    }
    const first = partsOf(stream).live.find(isEvent);
    if (first === undefined) continue;
    const [next] = model.expected(watcher.view, version, first.revision);
    if (next?.revision === first.revision) continue;
    const expected =
      next === undefined ? "nothing new" : `${next.revision} (${next.type} ${next.key})`;
    yield `broke Resumable: ${who} resumed from ${version} and got ${first.revision} first, not ${expected}`;
  }
};

function lastSeen(stream: Parameters<typeof partsOf>[0]): number | undefined {
  const { base, live } = partsOf(stream);
  if (base === undefined) return undefined;
  return live.reduce((last, { revision }) => Math.max(last, revision), base);
}
