// What a StatefulSet is when nothing else is said.

import type { StatefulSet } from "../types.ts";
import { setPersistentVolumeClaimDefaults } from "./persistent-volume-claim.ts";
import { setPodSpecDefaults } from "./pod-spec.ts";

/** Changes the object. */
export function setStatefulSetDefaults({ spec }: StatefulSet): void {
  setPodSpecDefaults(spec.template.spec);
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion = "v1";
    claim.kind = "PersistentVolumeClaim";
    setPersistentVolumeClaimDefaults(claim);
  }
  spec.podManagementPolicy ||= "OrderedReady";
  setUpdateStrategy(spec.updateStrategy);
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= "Retain";
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
}

function setUpdateStrategy(strategy: StatefulSet["spec"]["updateStrategy"]): void {
  if ((strategy.type ?? "") === "") {
    strategy.type = "RollingUpdate";
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type !== "RollingUpdate" || strategy.rollingUpdate === undefined) return;
  strategy.rollingUpdate.partition ??= 0;
  strategy.rollingUpdate.maxUnavailable ??= 1;
}
