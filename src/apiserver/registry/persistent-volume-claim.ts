// PersistentVolumeClaims. They are stored; nothing provides storage.

import { setPersistentVolumeClaimDefaults } from "../../api/defaults/persistent-volume-claim.ts";
import { parseQuantity } from "../../api/quantity.ts";
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "../../api/types.ts";
import {
  storageClassAnnotation,
  validatePersistentVolumeClaim,
  validatePersistentVolumeClaimStatusUpdate,
  validatePersistentVolumeClaimUpdate,
} from "../../api/validation/persistent-volume-claim.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";

export const persistentVolumeClaimStrategy: Strategy = kindStrategy<PersistentVolumeClaim>(
  "v1",
  "PersistentVolumeClaim",
  {
    returnsDeleted: true,
    setDefaults: setPersistentVolumeClaimDefaults,
    prepareForCreate(claim) {
      claim.status.phase = "Pending";
      settleDataSource(claim.spec, undefined);
    },
    prepareForUpdate: ({ spec }, old) => settleDataSource(spec, old.spec),
    validate: validatePersistentVolumeClaim,
    validateUpdate: validatePersistentVolumeClaimUpdate,
    validateStatusUpdate: validatePersistentVolumeClaimStatusUpdate,
    warnings: ({ metadata, spec }) => [
      ...(metadata.annotations?.[storageClassAnnotation] === undefined
        ? []
        : [
            `metadata.annotations[${storageClassAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`,
          ]),
      ...fractionWarnings(spec),
    ],
  },
);

function settleDataSource(
  spec: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaimSpec | undefined,
): void {
  dropDataSource(spec, old);
  equateDataSources(spec);
}

/** Sources in other namespaces are not offered; and the older field knows claims and snapshots only. */
function dropDataSource(
  spec: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaimSpec | undefined,
): void {
  if ((spec.dataSourceRef?.namespace ?? "") !== "" && old?.dataSourceRef === undefined) {
    delete spec.dataSourceRef;
  }
  const sources = [old?.dataSource, old?.dataSourceRef, spec.dataSourceRef];
  if (sources.every((source) => source === undefined) && !isKnownSource(spec)) {
    delete spec.dataSource;
  }
}

/** dataSource and dataSourceRef are two names for one thing. */
function equateDataSources(spec: PersistentVolumeClaimSpec): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined) {
    spec.dataSourceRef ??= { ...dataSource };
  } else if (dataSourceRef !== undefined) {
    const { namespace = "", ...source } = dataSourceRef;
    if (namespace === "") spec.dataSource = source;
  }
}

function isKnownSource({ dataSource }: PersistentVolumeClaimSpec): boolean {
  const { kind = "", apiGroup } = dataSource ?? {};
  if (kind === "PersistentVolumeClaim") return (apiGroup ?? "") === "";
  return kind === "VolumeSnapshot" && apiGroup === "snapshot.storage.k8s.io";
}

function fractionWarnings({ resources }: PersistentVolumeClaimSpec): string[] {
  return (["requests", "limits"] as const).flatMap((field) => {
    const amount = resources[field]?.["storage"];
    if (amount === undefined || parseQuantity(amount).milliValue() % 1000n === 0n) return [];
    const shown = JSON.stringify(amount);
    return [
      `spec.resources.${field}[storage]: fractional byte value ${shown} is invalid, must be an integer`,
    ];
  });
}
