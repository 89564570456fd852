// What a PersistentVolume may look like: one source, which stays what it is.

import { parseQuantity } from "../quantity.ts";
import type {
  CSIPersistentVolumeSource,
  LocalVolumeSource,
  PersistentVolume,
  PersistentVolumeSpec,
  SecretReference,
} from "../types.ts";
import { validateNodeSelector } from "./affinity.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  invalids,
  notSupported,
  required,
} from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { internalForm } from "./internal-form.ts";
import { dns1123Label, dns1123Subdomain, nameIsDnsSubdomain } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { validateNoBacksteps } from "./path-rules.ts";
import {
  validateAccessModes,
  validateAmount,
  validateClassName,
  validateVolumeMode,
} from "./persistent-volume-claim.ts";
import { strict } from "./pod-leniency.ts";
import { immutableField, semanticEqual } from "./semantic-equal.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { sourceRules, validateCsiDriverName } from "./volume-sources.ts";

const path = FieldPath.of("spec");
const reclaimPolicies = ["Delete", "Recycle", "Retain"];

/** In the API's order, by which of two sources the second is refused. */
const sources = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
] as const satisfies readonly (keyof PersistentVolumeSpec)[];

/** Sources that look the same in a pod. Of the others only `local` and `csi` have rules here. */
const shared = [
  "hostPath",
  "awsElasticBlockStore",
  "flocker",
  "nfs",
  "quobyte",
  "fc",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
] as const;

export function validatePersistentVolume(volume: PersistentVolume): FieldError[] {
  return [
    ...validateObjectMeta(volume.metadata, { namespaced: false, name: nameIsDnsSubdomain }),
    ...validateSpec(volume.spec),
  ];
}

export function validatePersistentVolumeUpdate(
  volume: PersistentVolume,
  old: PersistentVolume,
): FieldError[] {
  return [
    ...validateObjectMetaUpdate(volume.metadata, old.metadata),
    ...validatePersistentVolume(volume),
    ...validateSameSource(volume.spec, old.spec),
    // The paths are the API's.
    ...immutableField(volume.spec.volumeMode, old.spec.volumeMode, FieldPath.of("volumeMode")),
    ...validateNodeAffinityUpdate(volume.spec, old.spec),
    ...validateAttributesClassUpdate(volume.spec, old.spec),
  ];
}

export function validatePersistentVolumeStatusUpdate(
  volume: PersistentVolume,
  old: PersistentVolume,
): FieldError[] {
  const errors = validateObjectMetaUpdate(volume.metadata, old.metadata);
  if ((volume.metadata.resourceVersion ?? "") !== "") return errors;
  return [...errors, required(FieldPath.of("resourceVersion"))];
}

function validateSpec(spec: PersistentVolumeSpec): FieldError[] {
  const modes = spec.accessModes ?? [];
  const errors = modes.length === 0 ? [required(path.child("accessModes"))] : [];
  errors.push(
    ...validateAccessModes(modes, path.child("accessModes")),
    ...validateCapacity(spec.capacity ?? {}, path.child("capacity")),
  );
  const { persistentVolumeReclaimPolicy: policy = "" } = spec;
  const at = path.child("persistentVolumeReclaimPolicy");
  if (policy !== "" && !reclaimPolicies.includes(policy)) {
    errors.push(notSupported(at, policy, reclaimPolicies));
  }
  errors.push(...validateNodeAffinity(spec), ...validateSources(spec));
  if (policy === "Recycle" && /^\/+$/.test(spec.hostPath?.path ?? "")) {
    errors.push(forbidden(at, "may not be 'recycle' for a hostPath mount of '/'"));
  }
  return [
    ...errors,
    ...validateClassName(spec.storageClassName ?? "", path.child("storageClassName")),
    ...validateVolumeMode(spec.volumeMode, path.child("volumeMode")),
    ...validateAttributesClass(spec),
  ];
}

function validateCapacity(
  capacity: { readonly [name: string]: string },
  at: FieldPath,
): FieldError[] {
  const names = Object.keys(capacity);
  const errors = names.length === 0 ? [required(at)] : [];
  if (names.length !== 1 || names[0] !== "storage") {
    errors.push(notSupported(at, names.length === 0 ? null : { ...capacity }, ["storage"]));
  }
  for (const [name, amount] of Object.entries(capacity)) {
    errors.push(...validateAmount(amount, at.key(name)));
    if (parseQuantity(amount).sign() <= 0) {
      errors.push(invalid(at.key(name), amount, "must be greater than zero"));
    }
  }
  return errors;
}

function validateNodeAffinity({ nodeAffinity }: PersistentVolumeSpec): FieldError[] {
  if (nodeAffinity === undefined) return [];
  const at = path.child("nodeAffinity", "required");
  if (nodeAffinity.required === undefined) {
    return [required(at, "must specify required node constraints")];
  }
  return validateNodeSelector(nodeAffinity.required, at);
}

function validateNodeAffinityUpdate(
  { nodeAffinity }: PersistentVolumeSpec,
  old: PersistentVolumeSpec,
): FieldError[] {
  if (old.nodeAffinity === undefined || semanticEqual(nodeAffinity, old.nodeAffinity)) return [];
  const shown = nodeAffinity && {
    Required: nodeAffinity.required ? internalForm("NodeSelector", nodeAffinity.required) : null,
  };
  const text = "field is immutable, except for updating from beta label to GA";
  return [invalid(FieldPath.of("nodeAffinity"), shown, text)];
}

function validateSources(spec: PersistentVolumeSpec): FieldError[] {
  const [first, ...others] = sources.filter((source) => spec[source] !== undefined);
  if (first === undefined) return [required(path, "must specify a volume type")];
  return [
    ...validateSource(spec, first),
    ...others.map((source) =>
      forbidden(
        path.child(source === "cephfs" ? "cephFS" : source),
        "may not specify more than 1 volume type",
      ),
    ),
  ];
}

function validateSource(
  spec: PersistentVolumeSpec,
  source: (typeof sources)[number],
): FieldError[] {
  if (source === "csi" && spec.csi !== undefined) return validateCsi(spec.csi, path.child("csi"));
  if (source === "local" && spec.local !== undefined) {
    const errors = validateLocal(spec.local, path.child("local"));
    if (spec.nodeAffinity !== undefined) return errors;
    const text = "Local volume requires node affinity";
    return [...errors, required(path.child("nodeAffinity"), text)];
  }
  if (source === "gcePersistentDisk" && spec.gcePersistentDisk !== undefined) {
    const at = path.child("persistentDisk");
    return sourceRules.gcePersistentDisk(spec.gcePersistentDisk, at, strict);
  }
  const name = shared.find((each) => each === source);
  return name === undefined ? [] : validateShared(spec, name);
}

function validateShared<T extends (typeof shared)[number]>(
  spec: PersistentVolumeSpec,
  source: T,
): FieldError[] {
  const value = spec[source];
  const rule = sourceRules[source] as (
    value: object,
    path: FieldPath,
    leniency: typeof strict,
  ) => FieldError[];
  return value === undefined ? [] : rule(value, path.child(source), strict);
}

function validateLocal(local: LocalVolumeSource, at: FieldPath): FieldError[] {
  if (local.path === "") return [required(at.child("path"))];
  return validateNoBacksteps(local.path, at.child("path"));
}

function validateCsi(csi: CSIPersistentVolumeSource, at: FieldPath): FieldError[] {
  const errors = validateCsiDriverName(csi.driver, at.child("driver"));
  if (csi.volumeHandle === "") errors.push(required(at.child("volumeHandle")));
  for (const field of [
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
  ] as const) {
    const reference = csi[field];
    if (reference !== undefined) errors.push(...validateSecret(reference, at.child(field)));
  }
  return errors;
}

function validateSecret(
  { name = "", namespace = "" }: SecretReference,
  at: FieldPath,
): FieldError[] {
  return [
    ...(name === ""
      ? [required(at.child("name"))]
      : invalids(at.child("name"), name, dns1123Subdomain(name))),
    ...(namespace === ""
      ? [required(at.child("namespace"))]
      : invalids(at.child("namespace"), namespace, dns1123Label(namespace))),
  ];
}

function validateAttributesClass(spec: PersistentVolumeSpec): FieldError[] {
  const { volumeAttributesClassName: name, csi } = spec;
  if (name === undefined) return [];
  const at = path.child("volumeAttributesClassName");
  const errors =
    name === "" ? [required(at, "an empty string is disallowed")] : validateClassName(name, at);
  if (csi !== undefined) return errors;
  const text = "has to be specified when using volumeAttributesClassName";
  return [...errors, required(path.child("csi"), text)];
}

function validateAttributesClassUpdate(
  spec: PersistentVolumeSpec,
  old: PersistentVolumeSpec,
): FieldError[] {
  if (old.volumeAttributesClassName === undefined) return [];
  if (spec.volumeAttributesClassName !== undefined) return [];
  const text = "update from non-nil value to nil is forbidden";
  return [forbidden(path.child("volumeAttributesClassName"), text)];
}

function validateSameSource(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): FieldError[] {
  const before = sourceOf(old);
  const now = sourceOf(spec);
  // A secret for expanding may be added later.
  if (before.csi !== undefined && before.csi.controllerExpandSecretRef === undefined && now.csi) {
    const { controllerExpandSecretRef: _added, ...others } = now.csi;
    now.csi = others;
  }
  if (semanticEqual(now, before)) return [];
  const diff = unifiedDiff(JSON.stringify(before, null, 1), JSON.stringify(now, null, 1));
  const text = "spec.persistentvolumesource is immutable after creation";
  return [forbidden(path.child("persistentvolumesource"), `${text}\n${diff}`)];
}

function sourceOf(spec: PersistentVolumeSpec): Partial<PersistentVolumeSpec> {
  return Object.fromEntries(
    sources.filter((source) => spec[source] !== undefined).map((source) => [source, spec[source]]),
  );
}
