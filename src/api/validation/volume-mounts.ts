// Where a container has its volumes: mounts of files, and block devices.

import type { Container, Volume, VolumeDevice, VolumeMount } from "../types.ts";
import { isAbsent, list, text } from "./absent.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
} from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { hasBacksteps, validateDescendingPath } from "./path-rules.ts";

type Volumes = ReadonlyMap<string, Volume>;

const propagations = ["Bidirectional", "HostToContainer", "None"];

export function validateMounts(
  container: Container,
  volumes: Volumes,
  path: FieldPath,
): FieldError[] {
  const devices = list(container.volumeDevices);
  const taken = new Set<string>();
  return list(container.volumeMounts).flatMap((mount, i) => {
    const at = path.index(i);
    const errors = validatePlace(mount, { volumes, taken }, at);
    taken.add(mount.mountPath);
    errors.push(...validateAgainstDevices(mount, devices, at));
    // These three name the list, not the item, as the API does.
    errors.push(...validateSubPath(mount, path, at));
    errors.push(...validatePropagation(mount, container, path.child("mountPropagation")));
    errors.push(...validateRecursive(mount, path.child("recursiveReadOnly")));
    return errors;
  });
}

export function validateDevices(
  container: Container,
  volumes: Volumes,
  path: FieldPath,
): FieldError[] {
  const mounts = list(container.volumeMounts);
  const names = new Set<string>();
  const places = new Set<string>();
  return list(container.volumeDevices).flatMap((device, i) => {
    const at = path.index(i);
    const errors = [
      ...validateDeviceName(device, { names, volumes }, at.child("name")),
      ...validateDevicePath(device.devicePath, places, at.child("devicePath")),
    ];
    if (mounts.some(({ name }) => name === device.name)) {
      const detail = "must not already exist in volumeMounts";
      errors.push(invalid(at.child("name"), device.name, detail));
    }
    if (mounts.some(({ mountPath }) => mountPath === device.devicePath)) {
      const detail = "must not already exist as a path in volumeMounts";
      errors.push(invalid(at.child("devicePath"), device.devicePath, detail));
    }
    if (device.name !== "") names.add(device.name);
    return errors;
  });
}

function validatePlace(
  { name, mountPath }: VolumeMount,
  known: { readonly volumes: Volumes; readonly taken: ReadonlySet<string> },
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (name === "") errors.push(required(path.child("name")));
  if (!known.volumes.has(name)) errors.push(notFound(path.child("name"), name));
  if (mountPath === "") errors.push(required(path.child("mountPath")));
  if (known.taken.has(mountPath)) {
    errors.push(invalid(path.child("mountPath"), mountPath, "must be unique"));
  }
  return errors;
}

function validateAgainstDevices(
  { name, mountPath }: VolumeMount,
  devices: readonly VolumeDevice[],
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (devices.some((device) => device.name === name)) {
    errors.push(invalid(path.child("name"), name, "must not already exist in volumeDevices"));
  }
  if (devices.some((device) => device.devicePath === mountPath)) {
    const detail = "must not already exist as a path in volumeDevices";
    errors.push(invalid(path.child("mountPath"), mountPath, detail));
  }
  return errors;
}

function validateSubPath(mount: VolumeMount, path: FieldPath, item: FieldPath): FieldError[] {
  const subPath = text(mount.subPath);
  const expression = text(mount.subPathExpr);
  const errors = validateDescendingPath(subPath, path.child("subPath"));
  if (expression === "") return errors;
  if (subPath !== "") {
    const detail = "subPathExpr and subPath are mutually exclusive";
    errors.push(invalid(item.child("subPathExpr"), expression, detail));
  }
  return [...errors, ...validateDescendingPath(expression, path.child("subPathExpr"))];
}

function validatePropagation(
  { mountPropagation: mode }: VolumeMount,
  container: Container,
  path: FieldPath,
): FieldError[] {
  if (isAbsent(mode)) return [];
  if (!propagations.includes(mode)) return [notSupported(path, mode, propagations)];
  if (mode !== "Bidirectional" || container.securityContext?.privileged === true) return [];
  const detail = "Bidirectional mount propagation is available only to privileged containers";
  return [forbidden(path, detail)];
}

function validateRecursive(mount: VolumeMount, path: FieldPath): FieldError[] {
  const mode = mount.recursiveReadOnly;
  if (isAbsent(mode) || mode === "Disabled") return [];
  if (mode !== "Enabled" && mode !== "IfPossible") {
    return [notSupported(path, mode, ["Disabled", "Enabled", "IfPossible"])];
  }
  const errors: FieldError[] = [];
  if (mount.readOnly !== true) {
    errors.push(forbidden(path, "may only be specified when readOnly is true"));
  }
  if ((mount.mountPropagation ?? "None") !== "None") {
    const detail = "may only be specified when mountPropagation is None or not specified";
    errors.push(forbidden(path, detail));
  }
  return errors;
}

function validateDeviceName(
  { name }: VolumeDevice,
  known: { readonly names: ReadonlySet<string>; readonly volumes: Volumes },
  path: FieldPath,
): FieldError[] {
  const volume = known.volumes.get(name);
  const errors: FieldError[] = [];
  if (name === "") errors.push(required(path));
  if (known.names.has(name)) errors.push(invalid(path, name, "must be unique"));
  if (volume === undefined) errors.push(notFound(path, name));
  else if (isAbsent(volume.persistentVolumeClaim) && isAbsent(volume.ephemeral)) {
    const detail =
      "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
    errors.push(invalid(path, name, detail));
  }
  return errors;
}

function validateDevicePath(place: string, places: Set<string>, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (place === "") errors.push(required(path));
  if (places.has(place)) errors.push(invalid(path, place, "must be unique"));
  if (hasBacksteps(place)) {
    errors.push(invalid(path, place, "can not contain backsteps ('..')"));
  } else places.add(place);
  return errors;
}
