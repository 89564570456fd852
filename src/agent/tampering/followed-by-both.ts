// Both who want to know when a volume was written: the parts of it in containers follow, and from then on whoever else changes it is noticed.

import type { VolumeFollowers } from "../volumes/plugins/config-volume.ts";
import type { VolumeTampering } from "./volume-tampering.ts";

export function followedByBoth(
  live: VolumeFollowers,
  tampering: Pick<VolumeTampering, "shown" | "isSuspect" | "removed">,
): VolumeFollowers {
  return {
    shown(place, hasChanged, pod) {
      const following = live.shown(place, hasChanged, pod);
      // In the same turn as the write: events of the agent's own work must not be taken for somebody else's.
      tampering.shown(place, hasChanged, pod);
      return following;
    },
    isSuspect: (place) => tampering.isSuspect(place),
    removed: (place) => tampering.removed(place),
  };
}
