// Which trees of cgroups this machine has, and where in them this process is. There may be one for all controllers (version 2), one for each
// (version 1), both at once with the controllers shared out among them, or none that can be used.

import type { MountInfo } from "../../mounts/mount-info.ts";

/** Those that a container's limits are made with. */
export type Controller = "cpu" | "memory" | "pids";
export const controllers: readonly Controller[] = ["cpu", "memory", "pids"];

export interface Hierarchy {
  readonly version: 1 | 2;
  /** Of those that we use: on this tree, and not on another. */
  readonly controllers: readonly Controller[];
  /** Where the tree is mounted. */
  readonly root: string;
  /** The group of this process: below `root`, or the same. */
  readonly own: string;
}

export interface HierarchySources {
  /** The text of /proc/self/cgroup. */
  readonly membership: string;
  readonly mounts: readonly Pick<MountInfo, "fsType" | "superOptions" | "root" | "path">[];
  /** What cgroup.controllers says in this directory; "" if it cannot be read. */
  readonly available: (directory: string) => string;
}

export function findHierarchies(sources: HierarchySources): readonly Hierarchy[] {
  const found = sources.membership
    .split("\n")
    .map((line) => /^\d+:([^:]*):(\/.*)$/.exec(line))
    .map((match) => match && hierarchyOf(sources, match[1] ?? "", match[2] ?? ""));
  return found.filter((one) => one !== null && one !== undefined);
}

function hierarchyOf(
  { mounts, available }: HierarchySources,
  list: string,
  path: string,
): Hierarchy | undefined {
  const isVersion2 = list === "";
  const names = new Set(list.split(","));
  const mount = mounts.find(({ fsType, superOptions }) =>
    isVersion2
      ? fsType === "cgroup2"
      : fsType === "cgroup" && superOptions.split(",").some((option) => names.has(option)),
  );
  const own = mount && placeOf(path, mount);
  if (!mount || own === undefined) {
    return undefined;
  }
  const offered = isVersion2 ? new Set(available(mount.path).split(/\s+/)) : names;
  const used = controllers.filter((name) => offered.has(name));
  return used.length === 0
    ? undefined
    : { version: isVersion2 ? 2 : 1, controllers: used, root: mount.path, own };
}

/** The mount may show a part of the tree only; a group outside of it has no place. */
function placeOf(path: string, mount: Pick<MountInfo, "root" | "path">): string | undefined {
  const root = mount.root === "/" ? "" : mount.root;
  const isOutside = path.split("/").includes("..");
  if (isOutside || (path !== root && !path.startsWith(`${root}/`))) {
    return undefined;
  }
  const rest = path.slice(root.length);
  return rest === "/" ? mount.path : `${mount.path}${rest}`;
}
