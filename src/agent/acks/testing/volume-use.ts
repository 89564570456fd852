// How a container sees a volume, for tests that care only for some of it.

import type { VolumeUse } from "../../sub-path/volume-use.ts";

/** All of the ConfigMap volume "config" at /etc/config. */
export function volumeUse(changes: Partial<VolumeUse>): VolumeUse {
  return {
    ...{ volume: "config", plugin: "kubernetes.io/configmap", container: "main" },
    ...{ mountPath: "/etc/config", index: 0, subPath: undefined, isLive: false, isFrozen: false },
    ...{ whyFrozen: undefined, isAbsent: false, version: undefined },
    ...changes,
  };
}
