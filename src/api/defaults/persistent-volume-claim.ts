// What a claim on storage, and a volume, is when nothing else is said.

import type { PersistentVolume, PersistentVolumeClaim } from "../types.ts";
import { roundQuantities } from "./pod-spec.ts";

/** Changes the object. */
export function setPersistentVolumeClaimDefaults({ spec, status }: PersistentVolumeClaim): void {
  status.phase ||= "Pending";
  spec.volumeMode ??= "Filesystem";
  roundQuantities(spec.resources.limits);
  roundQuantities(spec.resources.requests);
  roundQuantities(status.capacity);
  roundQuantities(status.allocatedResources);
}

/** Changes the object. */
export function setPersistentVolumeDefaults({ spec, status }: PersistentVolume): void {
  status.phase ||= "Pending";
  spec.persistentVolumeReclaimPolicy ||= "Retain";
  spec.volumeMode ??= "Filesystem";
  roundQuantities(spec.capacity);
  if (spec.hostPath !== undefined) spec.hostPath.type ??= "";
}
