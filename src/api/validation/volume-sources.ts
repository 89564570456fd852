// What each source of a volume must have. The table below is also the order in which sources are looked at.

import { parseQuantity } from "../quantity.ts";
import type {
  ConfigMapVolumeSource,
  CSIVolumeSource,
  DownwardAPIVolumeSource,
  EmptyDirVolumeSource,
  EphemeralVolumeSource,
  HostPathVolumeSource,
  ImageVolumeSource,
  NFSVolumeSource,
  SecretVolumeSource,
  Volume,
} from "../types.ts";
import { isAbsent, list, text } from "./absent.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  invalids,
  notSupported,
  required,
  tooLong,
} from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import {
  validateAzureDisk,
  validateFc,
  validateFlexVolume,
  validateFlocker,
  validateGitRepo,
  validateIscsi,
  validatePartition,
  validateQuobyte,
  validateStorageOs,
} from "./legacy-volumes.ts";
import { dns1123Subdomain, nameIsDnsSubdomain } from "./names.ts";
import { validateNoBacksteps } from "./path-rules.ts";
import type { Leniency } from "./pod-leniency.ts";
import { validateProjected } from "./projected-volume.ts";
import { validatePullPolicy } from "./pull-policy.ts";
import { exceedsBytes } from "./utf8-length.ts";
import { validateClaimTemplate } from "./volume-claim-template.ts";
import { missing, validateDownwardFile, validateKeyToPath, validateMode } from "./volume-items.ts";

export type SourceName = Exclude<keyof Volume, "name">;

type Rules = {
  readonly [name in SourceName]-?: (
    source: NonNullable<Volume[name]>,
    path: FieldPath,
    leniency: Leniency,
  ) => FieldError[];
};

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

export const sourceRules: Rules = {
  emptyDir: validateEmptyDir,
  hostPath: validateHostPath,
  gitRepo: validateGitRepo,
  gcePersistentDisk: (source, path) => [
    ...missing(source, path, ["pdName"]),
    ...validatePartition(source.partition, path),
  ],
  awsElasticBlockStore: (source, path) => [
    ...missing(source, path, ["volumeID"]),
    ...validatePartition(source.partition, path),
  ],
  secret: validateSecretSource,
  nfs: validateNfs,
  iscsi: validateIscsi,
  glusterfs: (source, path) => missing(source, path, ["endpoints", "path"]),
  flocker: validateFlocker,
  persistentVolumeClaim: (source, path) => missing(source, path, ["claimName"]),
  rbd: (source, path) => missing(source, path, ["monitors", "image"]),
  cinder: (source, path) => [
    ...missing(source, path, ["volumeID"]),
    ...validateSecretRef(source.secretRef, path),
  ],
  cephfs: (source, path) => missing(source, path, ["monitors"]),
  quobyte: validateQuobyte,
  downwardAPI: validateDownwardApi,
  fc: validateFc,
  flexVolume: validateFlexVolume,
  configMap: validateConfigMapSource,
  azureFile: (source, path) => missing(source, path, ["secretName", "shareName"]),
  vsphereVolume: (source, path) => missing(source, path, ["volumePath"]),
  photonPersistentDisk: (source, path) => missing(source, path, ["pdID"]),
  portworxVolume: (source, path) => missing(source, path, ["volumeID"]),
  azureDisk: validateAzureDisk,
  storageos: (source, path) => [
    ...validateStorageOs(source, path),
    ...validateSecretRef(source.secretRef, path),
  ],
  projected: (source, path, leniency) => [
    ...validateMode(source.defaultMode, path.child("defaultMode")),
    ...validateProjected(list(source.sources), path, leniency),
  ],
  scaleIO: (source, path) => missing(source, path, ["gateway", "system", "volumeName"]),
  csi: validateCsi,
  ephemeral: validateEphemeral,
  image: validateImage,
};

function validateEmptyDir(source: EmptyDirVolumeSource, path: FieldPath): FieldError[] {
  const limit = source.sizeLimit;
  if (isAbsent(limit) || !parseQuantity(limit).isNegative()) return [];
  return [forbidden(path.child("sizeLimit"), "SizeLimit field must be a valid resource quantity")];
}

function validateHostPath(source: HostPathVolumeSource, path: FieldPath): FieldError[] {
  if (source.path === "") return [required(path.child("path"))];
  const errors = validateNoBacksteps(source.path, path.child("path"));
  const type = text(source.type);
  if (hostPathTypes.includes(type)) return errors;
  return [...errors, notSupported(path.child("type"), type, hostPathTypes)];
}

function validateSecretSource(source: SecretVolumeSource, path: FieldPath): FieldError[] {
  return [...missing(source, path, ["secretName"]), ...validateItems(source, path)];
}

function validateConfigMapSource(source: ConfigMapVolumeSource, path: FieldPath): FieldError[] {
  return [...missing(source, path, ["name"]), ...validateItems(source, path)];
}

function validateItems(
  source: SecretVolumeSource | ConfigMapVolumeSource,
  path: FieldPath,
): FieldError[] {
  return [
    ...validateMode(source.defaultMode, path.child("defaultMode")),
    ...list(source.items).flatMap((item, i) =>
      validateKeyToPath(item, path.child("items").index(i)),
    ),
  ];
}

function validateDownwardApi(source: DownwardAPIVolumeSource, path: FieldPath): FieldError[] {
  return [
    ...validateMode(source.defaultMode, path.child("defaultMode")),
    ...list(source.items).flatMap((file) => validateDownwardFile(file, path)),
  ];
}

function validateNfs(source: NFSVolumeSource, path: FieldPath): FieldError[] {
  const errors = missing(source, path, ["server", "path"]);
  if (source.path.startsWith("/")) return errors;
  return [...errors, invalid(path.child("path"), source.path, "must be an absolute path")];
}

function validateSecretRef(
  reference: { readonly name?: string | undefined } | null | undefined,
  path: FieldPath,
): FieldError[] {
  if (isAbsent(reference) || text(reference.name) !== "") return [];
  return [required(path.child("secretRef", "name"))];
}

/** The name of a CSI driver, wherever one is named. */
export function validateCsiDriverName(driver: string, path: FieldPath): FieldError[] {
  if (driver === "") return [required(path)];
  return [
    ...(exceedsBytes(driver, 63) ? [tooLong(path, 63)] : []),
    ...invalids(path, driver, dns1123Subdomain(driver.toLowerCase())),
  ];
}

function validateCsi(source: CSIVolumeSource, path: FieldPath): FieldError[] {
  const errors = validateCsiDriverName(source.driver, path.child("driver"));
  const secret = source.nodePublishSecretRef;
  if (isAbsent(secret)) return errors;
  const name = text(secret.name);
  if (name === "") return [...errors, required(path.child("nodePublishSecretRef", "name"))];
  return [...errors, ...invalids(path.child("name"), name, nameIsDnsSubdomain(name, false))];
}

function validateEphemeral(source: EphemeralVolumeSource, path: FieldPath): FieldError[] {
  const at = path.child("volumeClaimTemplate");
  const template = source.volumeClaimTemplate;
  return isAbsent(template) ? [required(at)] : validateClaimTemplate(template, at);
}

function validateImage(
  source: ImageVolumeSource,
  path: FieldPath,
  leniency: Leniency,
): FieldError[] {
  const isMissing = text(source.reference) === "" && !leniency.emptyImageReference;
  return [
    ...(isMissing ? [required(path.child("reference"))] : []),
    ...validatePullPolicy(text(source.pullPolicy), path.child("pullPolicy")),
  ];
}
