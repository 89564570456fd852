// Expired: who asks for a past that is gone is told so with 410 and Expired, as an answer or as the last event of a
// watch; and listing anew gives something at least as new as what it had.

import { viewText } from "../record.ts";
import { partsOf } from "./parts-of-stream.ts";
import { streamsOf, type Validator, type WatchedStream } from "./validator.ts";

export const expired: Validator = function* ({ run }) {
  for (const watched of streamsOf(run)) {
    const { stream, who } = watched;
    if (stream.end === "torn") yield `broke Expired: ${who} ended in the middle of an event`;
    if (stream.error !== undefined) {
      const { code, reason, message } = stream.error;
      if (code !== 410 || reason !== "Expired") {
        yield `broke Expired: ${who} was ended by ${code} ${reason}: ${message}`;
      }
    }
    const problem = wrongReturn(watched);
    if (problem !== undefined) yield `broke Expired: ${who} ${problem}`;
  }
  for (const { view, code, reason, relisted, version } of run.expiredLists) {
    const what = `the list of ${viewText(view)} at ${version}`;
    if (code !== 410 || reason !== "Expired") {
      yield `broke Expired: ${what} was refused with ${code} ${reason}`;
    }
    if (relisted !== undefined && relisted < version) {
      yield `broke Expired: ${what} is gone, and a new one gave ${relisted}`;
    }
  }
};

/** After it was told, a client has to begin anew, and must not be sent into the past. */
function wrongReturn({ stream, previous }: WatchedStream): string | undefined {
  if (previous?.end !== "expired") return undefined;
  if (stream.start.from === "seen") return "went on from a version that had expired";
  const { base } = partsOf(stream);
  const { base: start, live } = partsOf(previous);
  const had = live.reduce((last, { revision }) => Math.max(last, revision), start ?? 0);
  return stream.start.from !== "past" && base !== undefined && base < had
    ? `began anew at ${base}, but it had seen ${had}`
    : undefined;
}
