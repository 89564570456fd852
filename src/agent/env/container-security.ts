// What a container may do, from the security contexts of its pod and of itself. SELinux options and those for Windows mean nothing on a machine
// without them, as in the original; a profile of AppArmor is a promise that we cannot keep, and is refused.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AppArmorProfile, Pod, SeccompProfile, SecurityContext } from "../../api/types.ts";
import { describe, isErrno } from "../../base/errors.ts";
import type { ContainerSecurity } from "../../runtime/runtime.ts";
import { capabilityNames, defaultCapabilities } from "../../runtime/security/capabilities.ts";
import type { AnyContainer } from "../all-containers.ts";

export interface SecuritySources {
  readonly pod: Pod;
  readonly container: Pick<AnyContainer, "securityContext">;
  /** Where the profiles are that pods call Localhost. */
  readonly seccompDirectory: string;
}

/** Throws with the original's texts if the container asks for what is not there. */
export function containerSecurity(sources: SecuritySources): ContainerSecurity {
  const { securityContext: ofPod } = sources.pod.spec;
  const own = sources.container.securityContext ?? {};
  checkAppArmor(own.appArmorProfile ?? ofPod?.appArmorProfile);
  const seccompProfile = own.seccompProfile ?? ofPod?.seccompProfile;
  return {
    isPrivileged: own.privileged === true,
    isWithoutNewPrivileges: own.allowPrivilegeEscalation === false,
    isProcMasked: own.procMount !== "Unmasked",
    ...(own.privileged === true
      ? { capabilities: capabilityNames.toSorted(), seccomp: "unconfined" }
      : {
          capabilities: capabilitiesOf(own.capabilities),
          seccomp: seccompOf(seccompProfile, sources.seccompDirectory),
        }),
  };
}

/** "ALL" first, whichever side it is on; then what is added; then what is dropped. */
function capabilitiesOf(changes: SecurityContext["capabilities"]): readonly string[] {
  const added = (changes?.add ?? []).map(plainName);
  const dropped = (changes?.drop ?? []).map(plainName);
  let start = added.includes("ALL") ? capabilityNames : defaultCapabilities;
  if (dropped.includes("ALL")) start = [];
  const names = new Set([...start, ...added.filter((name) => capabilityNames.includes(name))]);
  for (const name of dropped) names.delete(name);
  return [...names].sort();
}

function plainName(name: string): string {
  return name.toUpperCase().replace(/^CAP_/, "");
}

/** Who says nothing gets the default, as from a kubelet with --seccomp-default. */
function seccompOf(
  profile: SeccompProfile | undefined | null,
  directory: string,
): ContainerSecurity["seccomp"] {
  switch (profile?.type) {
    case "Unconfined":
      return "unconfined";
    case "Localhost":
      return { profile: readProfile(profile.localhostProfile, directory) };
    default:
      return "default";
  }
}

function readProfile(name: string | undefined, directory: string): object {
  if (!name) {
    throw new Error("localhostProfile must be set if seccompProfile type is Localhost.");
  }
  const path = join(directory, name);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (err) {
    const why = isErrno(err, "ENOENT") ? "no such file or directory" : describe(err);
    throw new Error(`cannot load seccomp profile ${JSON.stringify(path)}: open ${path}: ${why}`, {
      cause: err,
    });
  }
  let profile: unknown;
  try {
    profile = JSON.parse(text);
  } catch (err) {
    throw badProfile(path, err);
  }
  if (typeof profile !== "object" || profile === null) throw badProfile(path, undefined);
  return profile;
}

function badProfile(path: string, cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : "it is not an object";
  return new Error(`decoding seccomp profile failed ${JSON.stringify(path)}: ${why}`, { cause });
}

function checkAppArmor(profile: AppArmorProfile | undefined | null): void {
  if (profile && profile.type !== "Unconfined") {
    throw new Error("Cannot enforce AppArmor: AppArmor is not enabled on the host");
  }
}
