// A container's own cgroups at /sys/fs/cgroup: programs look there how much memory and time they have. Together with a cgroup namespace, in
// which its group is the root, they see what they would see on a machine of that size, and nothing above.

import { makeInRoot, openNoLinks } from "../../mounts/safe-path.ts";
import {
  cloneTree,
  MOUNT_ATTR_NODEV,
  MOUNT_ATTR_RDONLY,
  MS_NODEV,
  MS_NOEXEC,
  MS_NOSUID,
  mount,
  mountSetattr,
  moveMount,
  type OpenFile,
  pathOf,
} from "../../mounts/system-calls.ts";
import type { CgroupPlace } from "../cgroups/cgroup-place.ts";

const place = "/sys/fs/cgroup";

export interface CgroupTree {
  /** Below the place; "" is the place itself. */
  readonly name: string;
  readonly tree: OpenFile;
}

/** While the machine's files are there. */
export function takeCgroups(
  { groups }: CgroupPlace,
  { isWritable }: { readonly isWritable: boolean },
): readonly CgroupTree[] {
  return groups.map(({ directory, version, controllers }) => {
    using source = openNoLinks(directory);
    const tree = cloneTree(source, { isRecursive: false, path: directory });
    const set = MOUNT_ATTR_NODEV | (isWritable ? 0 : MOUNT_ATTR_RDONLY);
    mountSetattr(tree, { set, isRecursive: false, path: directory });
    const name = version === 1 ? controllers.join(",") : "unified";
    return { name: version === 2 && groups.length === 1 ? "" : name, tree };
  });
}

/** `root` has /sys. One tree is at the place itself; several are directories in it, by the controllers' names. */
export function showCgroups(root: OpenFile, trees: readonly CgroupTree[]): void {
  const [first] = trees;
  if (!first) {
    return;
  }
  if (first.name !== "") {
    using directory = makeInRoot(root, place, { sort: "directory", mode: 0o755 });
    const flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    mount({ source: "tmpfs", target: pathOf(directory), type: "tmpfs", flags, data: "mode=755" });
  }
  for (const { name, tree } of trees) {
    const path = name === "" ? place : `${place}/${name}`;
    using directory = makeInRoot(root, path, { sort: "directory", mode: 0o755 });
    moveMount(tree, directory, { path });
    tree[Symbol.dispose]();
  }
  if (first.name !== "") {
    using directory = makeInRoot(root, place, { sort: "directory", mode: 0o755 });
    mountSetattr(directory, { set: MOUNT_ATTR_RDONLY, isRecursive: false });
  }
}
