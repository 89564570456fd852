// A container whose sub paths are what they were when it started: then, expressions were expanded with values that no spec has.

import type { VolumeMount } from "../../api/types.ts";
import type { AnyContainer } from "../all-containers.ts";
import type { VolumeUse } from "../sub-path/volume-use.ts";

/** For whoever asks which keys a container uses (podUses). */
export function withSubPaths<T extends AnyContainer>(container: T, uses: readonly VolumeUse[]): T {
  const { volumeMounts } = container;
  if (!volumeMounts?.some(({ subPathExpr }) => subPathExpr)) return container;
  const expanded = volumeMounts.map((mount, index): VolumeMount => {
    const use = uses.find((one) => one.index === index);
    if (!mount.subPathExpr || use?.subPath === undefined) return mount;
    const { subPathExpr: _, ...rest } = mount;
    return { ...rest, subPath: use.subPath };
  });
  return { ...container, volumeMounts: expanded };
}
