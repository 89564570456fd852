// A pod that says for which operating system it is has nothing that belongs to the other.

import type { PodSpec } from "../types.ts";
import { isAbsent } from "./absent.ts";
import { type FieldError, forbidden, notSupported, required } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { validateOsFields } from "./security-context.ts";
import { visitContainers } from "./visit-containers.ts";

const notForWindows = "cannot be set for a windows pod";
const notForLinux = "windows options cannot be set for a linux pod";
const podFields = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "sysctls",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
];
const containerFields = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
];

export function validatePodOs(spec: PodSpec, path: FieldPath): FieldError[] {
  const { os } = spec;
  if (isAbsent(os)) return [];
  const at = path.child("os");
  switch (os.name) {
    case "":
      return [required(at.child("name"))];
    case "linux":
      return validateLinux(spec, path);
    case "windows":
      return validateWindows(spec, path);
    default:
      return [notSupported(at, os.name, ["linux", "windows"])];
  }
}

function validateLinux(spec: PodSpec, path: FieldPath): FieldError[] {
  const names = ["windowsOptions"];
  return [
    ...validateOsFields(spec.securityContext, names, notForLinux, path.child("securityContext")),
    ...visitContainers(spec, path).flatMap(({ container, path: at }) =>
      validateOsFields(container.securityContext, names, notForLinux, at.child("securityContext")),
    ),
  ];
}

function validateWindows(spec: PodSpec, path: FieldPath): FieldError[] {
  const errors = validateOsFields(
    spec.securityContext,
    podFields,
    notForWindows,
    path.child("securityContext"),
  );
  if (!isAbsent(spec.hostUsers)) errors.push(forbidden(path.child("hostUsers"), notForWindows));
  if (spec.hostPID === true) errors.push(forbidden(path.child("hostPID"), notForWindows));
  if (spec.hostIPC === true) errors.push(forbidden(path.child("hostIPC"), notForWindows));
  if (!isAbsent(spec.shareProcessNamespace)) {
    errors.push(forbidden(path.child("shareProcessNamespace"), notForWindows));
  }
  return [
    ...errors,
    ...visitContainers(spec, path).flatMap(({ container, path: at }) =>
      validateOsFields(
        container.securityContext,
        containerFields,
        notForWindows,
        at.child("securityContext"),
      ),
    ),
  ];
}
