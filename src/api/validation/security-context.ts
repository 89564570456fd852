// What a container may do: users, capabilities, profiles of the kernel's security modules.

import type {
  AppArmorProfile,
  Container,
  PodSpec,
  SeccompProfile,
  SecurityContext,
} from "../types.ts";
import { isAbsent, list } from "./absent.ts";
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
import { internalForm } from "./internal-form.ts";
import { ownerId } from "./names.ts";
import { validateDescendingPath } from "./path-rules.ts";
import { addsSysAdmin, type Leniency } from "./pod-leniency.ts";
import { validateSysctls } from "./sysctl.ts";
import { exceedsBytes } from "./utf8-length.ts";
import { validateWindowsOptions } from "./windows-options.ts";

const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"];
/** PATH_MAX without the zero at its end. */
const maxProfileBytes = 4095;

export interface SecurityRules {
  readonly leniency: Leniency;
  readonly hostUsers: boolean;
}

export function validateSecurityContext(
  container: Container,
  { leniency, hostUsers }: SecurityRules,
  path: FieldPath,
): FieldError[] {
  const context = container.securityContext;
  if (isAbsent(context)) return [];
  return [
    ...validateOwner(context.runAsUser, path.child("runAsUser")),
    ...validateOwner(context.runAsGroup, path.child("runAsGroup")),
    ...validateProcMount(context.procMount, hostUsers, path.child("procMount")),
    ...validateSeccomp(context.seccompProfile, path.child("seccompProfile")),
    ...validateEscalation(context, path),
    ...(addsSysAdmin(container) && !leniency.sysAdmin
      ? [invalid(path, internalForm("SecurityContext", context), sysAdminDetail)]
      : []),
    ...validateWindowsOptions(context.windowsOptions, path.child("windowsOptions")),
    ...validateAppArmor(context.appArmorProfile, path.child("appArmorProfile")),
  ];
}

const sysAdminDetail =
  "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";

export function validatePodSecurityContext(
  spec: PodSpec,
  leniency: Leniency,
  path: FieldPath,
): FieldError[] {
  const context = spec.securityContext;
  if (isAbsent(context)) return [];
  return [
    ...(["fsGroup", "runAsUser", "runAsGroup"] as const).flatMap((name) =>
      validateOwner(context[name], path.child(name)),
    ),
    ...list(context.supplementalGroups).flatMap((group, i) =>
      validateOwner(group, path.child("supplementalGroups").index(i)),
    ),
    ...validateSysctls(spec, leniency.hostSysctls, path.child("sysctls")),
    ...oneOf(
      context.fsGroupChangePolicy,
      ["Always", "OnRootMismatch"],
      path.child("fsGroupChangePolicy"),
    ),
    ...validateSeccomp(context.seccompProfile, path.child("seccompProfile")),
    ...validateWindowsOptions(context.windowsOptions, path.child("windowsOptions")),
    ...validateAppArmor(context.appArmorProfile, path.child("appArmorProfile")),
    ...oneOf(
      context.supplementalGroupsPolicy,
      ["Merge", "Strict"],
      path.child("supplementalGroupsPolicy"),
    ),
    ...oneOf(
      context.seLinuxChangePolicy,
      ["MountOption", "Recursive"],
      path.child("seLinuxChangePolicy"),
    ),
  ];
}

/** What belongs to the other operating system. */
export function validateOsFields(
  context: object | null | undefined,
  names: readonly string[],
  detail: string,
  path: FieldPath,
): FieldError[] {
  if (isAbsent(context)) return [];
  const fields = context as { readonly [name: string]: unknown };
  return names
    .filter((name) => !isAbsent(fields[name]))
    .map((name) => forbidden(path.child(name), detail));
}

function validateOwner(id: number | null | undefined, path: FieldPath): FieldError[] {
  return isAbsent(id) ? [] : invalids(path, id, ownerId(id));
}

function validateProcMount(
  type: string | null | undefined,
  hostUsers: boolean,
  path: FieldPath,
): FieldError[] {
  if (isAbsent(type)) return [];
  const errors = oneOf(type, ["Default", "Unmasked"], path);
  if (!hostUsers || type !== "Unmasked") return errors;
  return [...errors, invalid(path, type, "`hostUsers` must be false to use `Unmasked`")];
}

function validateEscalation(context: SecurityContext, path: FieldPath): FieldError[] {
  if (context.allowPrivilegeEscalation !== false || context.privileged !== true) return [];
  const detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
  return [invalid(path, internalForm("SecurityContext", context), detail)];
}

function validateSeccomp(
  profile: SeccompProfile | null | undefined,
  path: FieldPath,
): FieldError[] {
  if (isAbsent(profile)) return [];
  const errors =
    profile.type === ""
      ? [required(path.child("type"), "type is required when seccompProfile is set")]
      : oneOf(profile.type, profileTypes, path.child("type"));
  const at = path.child("localhostProfile");
  const local = profile.localhostProfile;
  if (profile.type === "Localhost") {
    if (isAbsent(local)) {
      return [...errors, required(at, "must be set when seccomp type is Localhost")];
    }
    return [...errors, ...validateDescendingPath(local, at)];
  }
  if (isAbsent(local)) return errors;
  const detail = "can only be set when seccomp type is Localhost";
  return [...errors, invalid(at, internalForm("SeccompProfile", profile), detail)];
}

/** Also for what a deprecated annotation stands for. */
export function validateAppArmor(
  profile: AppArmorProfile | null | undefined,
  path: FieldPath,
): FieldError[] {
  if (isAbsent(profile)) return [];
  const { type, localhostProfile } = profile;
  const at = path.child("localhostProfile");
  if (type === "Localhost") return validateLocalProfile(localhostProfile, at);
  if (type === "") {
    return [required(path.child("type"), "type is required when appArmorProfile is set")];
  }
  if (!profileTypes.includes(type)) return [notSupported(path.child("type"), type, profileTypes)];
  if (isAbsent(localhostProfile)) return [];
  return [invalid(at, localhostProfile, "can only be set when AppArmor type is Localhost")];
}

function validateLocalProfile(name: string | null | undefined, path: FieldPath): FieldError[] {
  const missing = required(path, "must be set when AppArmor type is Localhost");
  if (isAbsent(name)) return [missing];
  const errors: FieldError[] = [];
  if (name.trim() !== name) {
    errors.push(invalid(path, name, "must not be padded with whitespace"));
  } else if (name === "") errors.push(missing);
  if (exceedsBytes(name, maxProfileBytes)) errors.push(tooLong(path, maxProfileBytes));
  return errors;
}

function oneOf(
  value: string | null | undefined,
  values: readonly string[],
  path: FieldPath,
): FieldError[] {
  if (isAbsent(value) || values.includes(value)) return [];
  return [notSupported(path, value, values)];
}
