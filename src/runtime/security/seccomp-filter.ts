// From what a container is to be kept from to the bytes that the kernel takes.

import { release } from "node:os";
import { arch } from "node:process";
import type { ContainerSecurity } from "../runtime.ts";
import { compileFilter, encodeFilter } from "./compile-filter.ts";
import { defaultProfile } from "./default-profile.ts";
import { rulesOf } from "./seccomp-profile.ts";

/** For this processor and kernel. Undefined: everything is allowed. Throws if the profile cannot be used. */
export function seccompFilter({
  seccomp,
  capabilities,
  isPrivileged,
}: Pick<ContainerSecurity, "seccomp" | "capabilities" | "isPrivileged">): Uint8Array | undefined {
  if (seccomp === "unconfined" || isPrivileged) {
    return undefined;
  }
  if (arch !== "x64" && arch !== "arm64") {
    throw new Error(`there are no seccomp filters for ${arch}, only for x64 and arm64`);
  }
  const profile = seccomp === "default" ? defaultProfile : seccomp.profile;
  const context = { architecture: arch, capabilities, release: release() } as const;
  return encodeFilter(compileFilter(rulesOf(profile, context)));
}
