// Sources of volumes that Driftless never mounts. They are judged all the same: a manifest that a cluster refuses is
// refused here with the same words.

import type {
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GitRepoVolumeSource,
  ISCSIVolumeSource,
  QuobyteVolumeSource,
  StorageOSVolumeSource,
} from "../types.ts";
import { entry, isAbsent, list, number, text } from "./absent.ts";
import { type FieldError, invalid, invalids, notSupported, required } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { dns1123Label, inRange } from "./names.ts";
import { validateDescendingPath } from "./path-rules.ts";

const initiatorForms: { readonly [prefix: string]: RegExp } = {
  iqn: /iqn\.\d{4}-\d{2}\.([a-zA-Z0-9\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[a-zA-Z0-9]{16}$/,
  naa: /^naa.[a-zA-Z0-9]{32}$/,
};

export function validateGitRepo(source: GitRepoVolumeSource, path: FieldPath): FieldError[] {
  return [
    ...(source.repository === "" ? [required(path.child("repository"))] : []),
    ...validateDescendingPath(text(source.directory), path.child("directory")),
  ];
}

/** The text says 1, although 0 is taken, as the API has it. */
export function validatePartition(
  partition: number | null | undefined,
  path: FieldPath,
): FieldError[] {
  const value = number(partition);
  if (value >= 0 && value <= 255) return [];
  return [invalid(path.child("partition"), value, "must be between 1 and 255, inclusive")];
}

export function validateIscsi(source: ISCSIVolumeSource, path: FieldPath): FieldError[] {
  const errors = source.targetPortal === "" ? [required(path.child("targetPortal"))] : [];
  if (source.iqn === "") errors.push(required(path.child("iqn")));
  else errors.push(...validateInitiator(source.iqn, path.child("iqn")));
  errors.push(...invalids(path.child("lun"), source.lun, inRange(source.lun, 0, 255)));
  const authenticates = source.chapAuthDiscovery === true || source.chapAuthSession === true;
  if (authenticates && isAbsent(source.secretRef)) errors.push(required(path.child("secretRef")));
  if (!isAbsent(source.initiatorName)) {
    errors.push(...validateInitiator(source.initiatorName, path.child("initiatorname")));
  }
  return errors;
}

export function validateFlocker(source: FlockerVolumeSource, path: FieldPath): FieldError[] {
  const name = text(source.datasetName);
  const uuid = text(source.datasetUUID);
  const errors: FieldError[] = [];
  if (name === "" && uuid === "") {
    errors.push(required(path, "one of datasetName and datasetUUID is required"));
  }
  if (name !== "" && uuid !== "") {
    const detail = "datasetName and datasetUUID can not be specified simultaneously";
    errors.push(invalid(path, "resource", detail));
  }
  if (name.includes("/")) {
    errors.push(invalid(path.child("datasetName"), name, "must not contain '/'"));
  }
  return errors;
}

export function validateQuobyte(source: QuobyteVolumeSource, path: FieldPath): FieldError[] {
  const detail = "must be a host:port pair or multiple pairs separated by commas";
  const errors: FieldError[] = [];
  if (source.registry === "") {
    errors.push(required(path.child("registry"), detail));
  } else if (text(source.tenant).length >= 65) {
    const tenant = "must be a UUID and may not exceed a length of 64 characters";
    errors.push(required(path.child("tenant"), tenant));
  } else {
    const wrong = source.registry.split(",").filter((pair) => !isHostPort(pair));
    errors.push(...wrong.map(() => invalid(path.child("registry"), source.registry, detail)));
  }
  if (source.volume === "") errors.push(required(path.child("volume")));
  return errors;
}

export function validateFc(source: FCVolumeSource, path: FieldPath): FieldError[] {
  const names = list(source.targetWWNs);
  const ids = list(source.wwids);
  const at = path.child("targetWWNs");
  const errors: FieldError[] = [];
  if (names.length === 0 && ids.length === 0) {
    errors.push(required(at, "must specify either targetWWNs or wwids, but not both"));
  }
  if (names.length > 0 && ids.length > 0) {
    const detail = "targetWWNs and wwids can not be specified simultaneously";
    errors.push(invalid(at, [...names], detail));
  }
  if (names.length === 0) return errors;
  if (isAbsent(source.lun)) {
    const detail = "lun is required if targetWWNs is specified";
    return [...errors, required(path.child("lun"), detail)];
  }
  return [...errors, ...invalids(path.child("lun"), source.lun, inRange(source.lun, 0, 255))];
}

export function validateFlexVolume(source: FlexVolumeSource, path: FieldPath): FieldError[] {
  const errors = source.driver === "" ? [required(path.child("driver"))] : [];
  for (const key in source.options) {
    const namespace = `.${key.split("/")[0]?.toLowerCase()}`;
    if (namespace.endsWith(".kubernetes.io") || namespace.endsWith(".k8s.io")) {
      const detail = "kubernetes.io and k8s.io namespaces are reserved";
      errors.push(invalid(path.child("options").key(key), key, detail));
    }
  }
  return errors;
}

export function validateAzureDisk(source: AzureDiskVolumeSource, path: FieldPath): FieldError[] {
  const { diskName, diskURI, cachingMode, kind } = source;
  const errors: FieldError[] = [];
  if (diskName === "") errors.push(required(path.child("diskName")));
  if (diskURI === "") errors.push(required(path.child("diskURI")));
  errors.push(
    ...supported(cachingMode, ["None", "ReadOnly", "ReadWrite"], path.child("cachingMode")),
    ...supported(kind, ["Dedicated", "Managed", "Shared"], path.child("kind")),
  );
  if (isAbsent(kind)) return errors;
  const form =
    kind === "Managed"
      ? "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
      : "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
  const start = kind === "Managed" ? "/subscriptions/" : "https://";
  if (!diskURI.startsWith(start)) {
    errors.push(notSupported(path.child("diskURI"), diskURI, [form]));
  }
  return errors;
}

export function validateStorageOs(source: StorageOSVolumeSource, path: FieldPath): FieldError[] {
  const name = text(source.volumeName);
  const namespace = text(source.volumeNamespace);
  const at = path.child("volumeName");
  return [
    ...(name === "" ? [required(at)] : invalids(at, name, dns1123Label(name))),
    ...(namespace === ""
      ? []
      : invalids(path.child("volumeNamespace"), namespace, dns1123Label(namespace))),
  ];
}

function supported(
  value: string | null | undefined,
  values: readonly string[],
  path: FieldPath,
): FieldError[] {
  if (isAbsent(value) || values.includes(value)) return [];
  return [notSupported(path, value, values)];
}

function validateInitiator(name: string, path: FieldPath): FieldError[] {
  const form = entry(initiatorForms, name.slice(0, 3));
  if (form === undefined) {
    return [invalid(path, name, "must be valid format starting with iqn, eui, or naa")];
  }
  return form.test(name) ? [] : [invalid(path, name, "must be valid format")];
}

function isHostPort(pair: string): boolean {
  return /^(\[[^\][]*\]|[^:\][]*):[^:\][]*$/.test(pair);
}
