// What people read when volumes are not there, in the original's words.

import { describe } from "../../base/errors.ts";
import type { WantedPod } from "./desired-state.ts";
import { MountError } from "./volumes.ts";

const LATE = "context deadline exceeded";

/** The text of the Event `FailedMount` of one volume. */
export function mountFailureMessage(volume: string, err: unknown): string {
  const why = err instanceof Error && err.message !== "" ? err.message : describe(err);
  return `MountVolume.SetUp failed for volume ${JSON.stringify(volume)} : ${why}`;
}

/** What a wait for `mounted` throws. Without `wanted` the pod's volumes were given up while it waited. */
export function mountError(
  wanted: WantedPod | undefined,
  unmounted: readonly string[],
  failure?: unknown,
): MountError {
  const refused = wanted?.refused ?? new Map<string, string>();
  const reasons = wanted ? [...refused.values()] : ["pod is not wanted"];
  const why = reasons.length > 0 ? reasons.join("; ") : LATE;
  const missing = [...unmounted, ...refused.keys()];
  return new MountError(
    `unmounted volumes=${list(missing)}, unattached volumes=[], failed to process volumes=${list([...refused.keys()])}: ${why}`,
    failure === undefined ? {} : { cause: failure },
  );
}

/** What a wait for `unmounted` throws. */
export function unmountError(mounted: readonly string[], failure: unknown): MountError {
  const options = failure === undefined ? {} : { cause: failure };
  return new MountError(`mounted volumes=${list(mounted)}: ${LATE}`, options);
}

/** It only took too long: the volumes' own events have said why, and the pod gets no event for that. */
export function isMountTimeout(err: unknown): boolean {
  return err instanceof MountError && err.message.endsWith(`: ${LATE}`);
}

/** As Go prints one. */
function list(names: readonly string[]): string {
  return `[${names.toSorted().join(" ")}]`;
}
