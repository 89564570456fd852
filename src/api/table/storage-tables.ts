// Tables of volumes and the claims on them.

import type { PersistentVolume, PersistentVolumeClaim } from "../types.ts";
import { unset } from "./cell-texts.ts";
import {
  ageColumn,
  column,
  type Named,
  nameColumn,
  type TableDefinition,
  tableOfColumns,
} from "./table-column.ts";

const wide = { wide: true };
/** In the order in which they are listed. */
const accessModes: readonly (readonly [string, string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

export const persistentVolumeTable: TableDefinition<PersistentVolume> =
  tableOfColumns<PersistentVolume>(
    nameColumn(),
    column("Capacity", "Size of the volume", ({ spec }) => spec?.capacity?.["storage"] ?? "0"),
    column("Access Modes", "How it can be mounted", ({ spec }) => modesText(spec?.accessModes)),
    column(
      "Reclaim Policy",
      "What becomes of it without a claim",
      ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? "",
    ),
    column("Status", "Whether it is bound", phaseText),
    column("Claim", "The claim that it is bound to", claimText),
    column("StorageClass", "StorageClass of the pv", (volume) =>
      classText(volume, volume.spec?.storageClassName),
    ),
    column(
      "VolumeAttributesClass",
      "VolumeAttributesClass of the pv",
      ({ spec }) => spec?.volumeAttributesClassName ?? unset,
    ),
    column("Reason", "Why it is in this state", ({ status }) => status?.reason ?? ""),
    ageColumn(),
    column("VolumeMode", "Files or blocks", ({ spec }) => spec?.volumeMode ?? unset, wide),
  );

export const persistentVolumeClaimTable: TableDefinition<PersistentVolumeClaim> =
  tableOfColumns<PersistentVolumeClaim>(
    nameColumn(),
    column("Status", "Whether it is bound", phaseText),
    column("Volume", "The volume that it is bound to", ({ spec }) => spec?.volumeName ?? ""),
    column("Capacity", "Size of the volume", (claim) =>
      isBound(claim) ? (claim.status?.capacity?.["storage"] ?? "0") : "",
    ),
    column("Access Modes", "How it can be mounted", (claim) =>
      isBound(claim) ? modesText(claim.status?.accessModes) : "",
    ),
    column("StorageClass", "StorageClass of the pvc", (claim) =>
      classText(claim, claim.spec?.storageClassName),
    ),
    column(
      "VolumeAttributesClass",
      "VolumeAttributesClass of the pvc",
      ({ spec }) => spec?.volumeAttributesClassName ?? unset,
    ),
    ageColumn(),
    column("VolumeMode", "Files or blocks", ({ spec }) => spec?.volumeMode ?? unset, wide),
  );

function modesText(modes: readonly string[] | undefined): string {
  return accessModes
    .filter(([mode]) => modes?.includes(mode) ?? false)
    .map(([, short]) => short)
    .join(",");
}

function phaseText({ metadata, status }: PersistentVolume | PersistentVolumeClaim): string {
  return metadata?.deletionTimestamp === undefined ? (status?.phase ?? "") : "Terminating";
}

function claimText({ spec }: PersistentVolume): string {
  const claim = spec?.claimRef;
  return claim === undefined ? "" : `${claim.namespace ?? ""}/${claim.name ?? ""}`;
}

/** An annotation of old comes first. */
function classText({ metadata }: Named, name: string | undefined): string {
  return metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? name ?? "";
}

function isBound({ spec }: PersistentVolumeClaim): boolean {
  return (spec?.volumeName ?? "") !== "";
}
