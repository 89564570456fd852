// PersistentVolumes. They are stored; nothing provides storage.

import { setPersistentVolumeDefaults } from "../../api/defaults/persistent-volume-claim.ts";
import type { PersistentVolume, PersistentVolumeSpec } from "../../api/types.ts";
import {
  validatePersistentVolume,
  validatePersistentVolumeStatusUpdate,
  validatePersistentVolumeUpdate,
} from "../../api/validation/persistent-volume.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";

const deprecatedAnnotations = [
  [
    "volume.beta.kubernetes.io/storage-class",
    'deprecated since v1.8; use "storageClassName" attribute instead',
  ],
  [
    "volume.beta.kubernetes.io/mount-options",
    'deprecated since v1.31; use "mountOptions" attribute instead',
  ],
] as const;
const deprecatedSources: readonly (readonly [keyof PersistentVolumeSpec, string])[] = [
  ["cephfs", "cephfs: deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "scaleIO: deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "storageOS: deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs: deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "rbd: deprecated in v1.28, non-functional in v1.31+"],
];

export const persistentVolumeStrategy: Strategy = kindStrategy<PersistentVolume>(
  "v1",
  "PersistentVolume",
  {
    returnsDeleted: true,
    setDefaults: setPersistentVolumeDefaults,
    prepareForCreate({ status }, { now }) {
      status.phase = "Pending";
      status.lastPhaseTransitionTime = now;
    },
    prepareForStatusUpdate({ status }, { status: old }, { now }) {
      const { lastPhaseTransitionTime: time } = status;
      const { lastPhaseTransitionTime: oldTime } = old;
      if (status.phase !== old.phase) {
        if (time === undefined || time === oldTime) status.lastPhaseTransitionTime = now;
      } else if (time === undefined && oldTime !== undefined) {
        status.lastPhaseTransitionTime = oldTime;
      }
    },
    validate: validatePersistentVolume,
    validateUpdate: validatePersistentVolumeUpdate,
    validateStatusUpdate: validatePersistentVolumeStatusUpdate,
    warnings,
  },
);

function warnings({ metadata, spec }: PersistentVolume): string[] {
  const texts = deprecatedAnnotations
    .filter(([key]) => metadata.annotations?.[key] !== undefined)
    .map(([key, text]) => `metadata.annotations[${key}]: ${text}`);
  if (spec.persistentVolumeReclaimPolicy === "Recycle") {
    texts.push(
      "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
    );
  }
  return [
    ...texts,
    ...deprecatedSources
      .filter(([source]) => spec[source] !== undefined)
      .map(([, text]) => `spec.${text}`),
  ];
}
