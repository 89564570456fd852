// From the launcher's rights, which are the agent's, to those of the container's program. The order matters:
//
// (1) Nobody may look into this process any more: from (5) on it has no more rights than others in the container have.
// (2) The bounding set: it needs CAP_SETPCAP, which (4) or (5) may take.
// (3) Keep the capabilities over (4): loading the filter in (7) needs CAP_SYS_ADMIN unless (6) was done.
// (4) Groups, then group, then user: each needs the right that the next one takes away.
// (5) Capabilities: for root those that it is to have, for others none; none to inherit, none ambient. CAP_SYS_ADMIN stays permitted, and
//     without effect, if (7) needs it.
// (6) No new privileges, if it is to have none.
// ... The caller does what it has to do as the user: files are found and refused as the program would find them.
// (7) The filter, at the very end: a profile need not allow what the launcher does, but for capset and execve.
// (8) Let go of CAP_SYS_ADMIN.

import { isErrno } from "../../base/errors.ts";
import {
  refuseNewPrivileges,
  setgroups,
  setresgid,
  setresuid,
} from "../../mounts/process-calls.ts";
import {
  capget,
  capset,
  clearAmbientCapabilities,
  dropFromBoundingSet,
  forbidTracing,
  isInBoundingSet,
  keepCapabilities,
  setSeccompFilter,
} from "../../mounts/rights-calls.ts";
import type { ContainerSecurity, ContainerUser } from "../runtime.ts";
import { capabilityMask, capabilityNames } from "../security/capabilities.ts";
import { seccompFilter } from "../security/seccomp-filter.ts";
import { LaunchError, reasonOf, step } from "./launch-error.ts";

const SYS_ADMIN = capabilityMask(["SYS_ADMIN"]);

/**
 * Gives up all rights but those of the user. Returns what is to be done right before execve, and must be: it takes the last ones. Neither
 * can be undone. Throws a LaunchError.
 */
export function become(of: {
  readonly user: ContainerUser;
  readonly security: ContainerSecurity;
}): () => void {
  const { user, security } = of;
  const filter = step("error loading seccomp filter", () => seccompFilter(security));
  const before = capget().permitted;
  const wanted = security.isPrivileged ? before : capabilityMask(security.capabilities) & before;
  step("error restricting the process", forbidTracing); // (1)
  step("error dropping capabilities", () => limitBoundingSet(wanted)); // (2)
  step("error keeping capabilities", keepCapabilities); // (3)
  becomeUser(user); // (4)
  const rights = user.uid === 0 ? wanted : 0n;
  const needsAdmin = filter !== undefined && !security.isWithoutNewPrivileges;
  const spare = needsAdmin ? SYS_ADMIN & before : 0n;
  step("error setting capabilities", () => {
    capset({ effective: rights, permitted: rights | spare, inheritable: 0n }); // (5)
    clearAmbientCapabilities();
  });
  if (security.isWithoutNewPrivileges) {
    step("error giving up new privileges", refuseNewPrivileges); // (6)
  }
  return () =>
    step("error loading seccomp filter", () => {
      if (spare !== 0n) {
        capset({ effective: rights | spare, permitted: rights | spare, inheritable: 0n });
      }
      if (filter) {
        setSeccompFilter(filter); // (7)
      }
      if (spare !== 0n) {
        capset({ effective: rights, permitted: rights, inheritable: 0n }); // (8)
      }
    });
}

function limitBoundingSet(wanted: bigint): void {
  for (let number = 0; number < 64; number++) {
    const isIn = isInBoundingSet(number);
    if (isIn === undefined) {
      return;
    }
    // A kernel newer than our list has capabilities without a name here: they go too.
    const isWanted = number < capabilityNames.length && (wanted & (1n << BigInt(number))) !== 0n;
    if (isIn && !isWanted) {
      dropFromBoundingSet(number);
    }
  }
}

function becomeUser({ uid, gid, supplementalGroups }: ContainerUser): void {
  try {
    setgroups(supplementalGroups);
  } catch (err) {
    // In a user namespace of one user there are no further groups, and so none to give up.
    if (supplementalGroups.length > 0 || !isErrno(err, "EPERM")) {
      throw new LaunchError(
        `cannot run with the groups ${supplementalGroups.join(", ")}: ${unmapped(err)}`,
        { cause: err },
      );
    }
  }
  try {
    setresgid(gid);
  } catch (err) {
    throw new LaunchError(`cannot run as group ${gid}: ${unmapped(err)}`, { cause: err });
  }
  try {
    setresuid(uid);
  } catch (err) {
    throw new LaunchError(`cannot run as user ${uid}: ${unmapped(err)}`, { cause: err });
  }
}

function unmapped(err: unknown): string {
  return isErrno(err, "EINVAL", "EPERM")
    ? "the agent runs in a user namespace in which it does not exist; give the namespace more ids, or run the agent as root"
    : reasonOf(err);
}
