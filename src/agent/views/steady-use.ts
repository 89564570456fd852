// A report that says the same as the one before also says since when as that one did: times of a former life of the agent are known from
// nowhere else, and a report whose times alone differ would be a write for nothing.

import type { ConfigUse } from "../../api/types.ts";

/** `before` is the last report of the same use. */
export function steadyUse(use: ConfigUse, before: ConfigUse | undefined): ConfigUse {
  if (before === undefined) return use;
  const wanted = steadyVersion(use.wanted, before.wanted);
  const onDisk = steadyVersion(use.onDisk, before.onDisk);
  const applied = steadyVersion(use.applied, before.applied);
  const stages = steadyStages(use, before);
  const drift = steadyDrift(use.drift, before.drift);
  return {
    ...use,
    ...(wanted && { wanted }),
    ...(onDisk && { onDisk }),
    ...(applied && { applied }),
    ...(stages && { stages }),
    ...(drift && { drift }),
  };
}

type Version = NonNullable<ConfigUse["onDisk"]>;

/** The earlier time counts, and the write that brought it: a content that came again with a new write was there already. */
function steadyVersion(now: Version | undefined, before: Version | undefined): Version | undefined {
  if (now === undefined || now.hash !== before?.hash) return now;
  return isLater(now.at, before.at) ? before : { ...before, ...now };
}

/** When the version reached a stage for the first time; stages that it is not at any more are left out. */
function steadyStages(now: ConfigUse, before: ConfigUse): ConfigUse["stages"] {
  if (now.stages === undefined || now.wanted?.hash !== before.wanted?.hash) return now.stages;
  const earlier = before.stages ?? {};
  return Object.fromEntries(
    Object.entries(now.stages).map(([stage, at]) => {
      const known = earlier[stage];
      return [stage, known !== undefined && isLater(at, known) ? known : at];
    }),
  );
}

function steadyDrift(now: ConfigUse["drift"], before: ConfigUse["drift"]): ConfigUse["drift"] {
  if (now === undefined || now.reason !== before?.reason) return now;
  return before.since === undefined ? now : { ...now, since: before.since };
}

/** Times of one form compare as text. No time is later than any. */
function isLater(at: string | undefined, than: string | undefined): boolean {
  return than !== undefined && (at === undefined || at > than);
}
