// Which checks a level consists of, version by version, and what they find.

import * as baseline from "./baseline-checks.ts";
import {
  type Check,
  except,
  type Finding,
  hasOwnUsers,
  isWindows,
  type PodLike,
} from "./findings.ts";
import type { LevelVersion, Version } from "./policy.ts";
import * as restricted from "./restricted-checks.ts";

interface VersionedCheck {
  readonly id: string;
  /** From which version on which check holds, oldest first. */
  readonly versions: readonly (readonly [Version, Check])[];
  /** A baseline check that this one makes needless. */
  readonly replaces?: string;
}

/** In the order in which findings are told. */
const baselineChecks: readonly VersionedCheck[] = [
  { id: "appArmorProfile", versions: [[0, baseline.appArmorProfile]] },
  { id: "capabilities_baseline", versions: [[0, baseline.capabilities]] },
  { id: "hostNamespaces", versions: [[0, baseline.hostNamespaces]] },
  { id: "hostPathVolumes", versions: [[0, baseline.hostPathVolumes]] },
  { id: "hostPorts", versions: [[0, baseline.hostPorts]] },
  { id: "hostProbesAndHostLifecycle", versions: [[34, baseline.hostProbes]] },
  { id: "privileged", versions: [[0, baseline.privileged]] },
  {
    id: "procMount",
    versions: [
      [0, baseline.procMount],
      [35, except(hasOwnUsers, baseline.procMount)],
    ],
  },
  {
    id: "seLinuxOptions",
    versions: [
      [0, baseline.seLinuxOptions],
      [31, baseline.seLinuxOptions31],
    ],
  },
  {
    id: "seccompProfile_baseline",
    versions: [
      [0, baseline.seccompAnnotations],
      [19, baseline.seccompProfile],
    ],
  },
  { id: "sysctls", versions: baseline.sysctls },
  { id: "windowsHostProcess", versions: [[0, baseline.windowsHostProcess]] },
];

const restrictedChecks: readonly VersionedCheck[] = [
  {
    id: "allowPrivilegeEscalation",
    versions: [
      [8, restricted.allowPrivilegeEscalation],
      [25, except(isWindows, restricted.allowPrivilegeEscalation)],
    ],
  },
  {
    id: "capabilities_restricted",
    replaces: "capabilities_baseline",
    versions: [
      [22, restricted.capabilities],
      [25, except(isWindows, restricted.capabilities)],
    ],
  },
  {
    id: "procMount_restricted",
    replaces: "procMount",
    versions: [[35, baseline.procMount]],
  },
  {
    id: "restrictedVolumes",
    replaces: "hostPathVolumes",
    versions: [[0, restricted.restrictedVolumes]],
  },
  {
    id: "runAsNonRoot",
    versions: [
      [0, restricted.runAsNonRoot],
      [35, except(hasOwnUsers, restricted.runAsNonRoot)],
    ],
  },
  {
    id: "runAsUser",
    versions: [
      [23, restricted.runAsUser],
      [35, except(hasOwnUsers, restricted.runAsUser)],
    ],
  },
  {
    id: "seccompProfile_restricted",
    replaces: "seccompProfile_baseline",
    versions: [
      [19, restricted.seccompRequired],
      [25, except(isWindows, restricted.seccompRequired)],
    ],
  },
];

/** What is wrong with the pod at this level; nothing if it may be. */
export function evaluate({ level, version }: LevelVersion, pod: PodLike): readonly Finding[] {
  if (level === "privileged") return [];
  return checksOf(level, version).flatMap((check) => check(pod) ?? []);
}

/** The reasons with their details, as clients see them. */
export function detailsOf(findings: readonly Finding[]): string {
  return findings
    .map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`))
    .join(", ");
}

function checksOf(level: "baseline" | "restricted", version: Version): readonly Check[] {
  const added = level === "restricted" ? inForce(restrictedChecks, version) : [];
  const replaced = new Set(added.map(({ replaces }) => replaces));
  const kept = inForce(baselineChecks, version).filter(({ id }) => !replaced.has(id));
  return [...kept, ...added].map(({ check }) => check);
}

function inForce(
  checks: readonly VersionedCheck[],
  version: Version,
): { readonly id: string; readonly replaces: string | undefined; readonly check: Check }[] {
  return checks.flatMap(({ id, replaces, versions }) => {
    const found = versions.findLast(([since]) => since <= version);
    return found === undefined ? [] : [{ id, replaces, check: found[1] }];
  });
}
