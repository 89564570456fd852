// The machine's own root as a container's root: everything can be read, nothing that is written reaches the machine.
// Disks that are mounted below "/" are shown, each with a writable layer of its own or else read-only. What the kernel or
// memory makes up (proc, sysfs, tmpfs …) is not: containers get their own.

import { type Dirent, fstatSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { isErrno } from "../../base/errors.ts";
import { type MountInfo, readMountInfo, topmostAt } from "../../mounts/mount-info.ts";
import { makeInRoot, openBeneath } from "../../mounts/safe-path.ts";
import {
  AT_FDCWD,
  cloneTree,
  MOUNT_ATTR_NODEV,
  MOUNT_ATTR_RDONLY,
  MS_NODEV,
  MS_NOSUID,
  mount,
  mountSetattr,
  moveMount,
  O_PATH,
  type OpenFile,
  openat2,
} from "../../mounts/system-calls.ts";
import type { RootLayers } from "./root-layers.ts";

export interface HostRootOptions {
  readonly layers: RootLayers;
  /** Where the root is put together. */
  readonly place: string;
  readonly hidden: readonly string[];
}

export function mountHostRoot({ layers, place, hidden }: HostRootOptions): OpenFile {
  const mounts = readMountInfo();
  let root: OpenFile;
  try {
    using at = openPath(place);
    layers.overlay(["/"], at);
    root = openPath(place);
  } catch (err) {
    if (!isErrno(err, "EINVAL", "EPERM")) {
      throw err;
    }
    root = assembleRoot(layers, place);
  }
  for (const disk of otherDisks(mounts, hidden)) {
    mountDisk({ disk, layers, root });
  }
  return root;
}

const madeUp: ReadonlySet<string> = new Set(
  (
    "autofs binfmt_misc bpf cgroup cgroup2 configfs debugfs devpts devtmpfs efivarfs fuse.lxcfs fuse.portal fusectl " +
    "hugetlbfs mqueue nfsd nsfs proc pstore ramfs rpc_pipefs securityfs selinuxfs sysfs tmpfs tracefs"
  ).split(" "),
);

/** Mounts below "/" that hold files of their own, the ones above first. */
export function otherDisks(
  mounts: readonly MountInfo[],
  hidden: readonly string[],
): readonly MountInfo[] {
  const root = topmostAt(mounts, "/");
  return mounts
    .filter((mount) => {
      const isRootAgain = mount.device === root?.device && mount.root === mount.path;
      return (
        mount.path !== "/" &&
        !madeUp.has(mount.fsType) &&
        !isRootAgain &&
        topmostAt(mounts, mount.path) === mount &&
        !hidden.some((path) => mount.path === path || mount.path.startsWith(`${path}/`))
      );
    })
    .sort((a, b) => a.path.split("/").length - b.path.split("/").length);
}

interface MountDisk {
  readonly disk: MountInfo;
  readonly layers: RootLayers;
  readonly root: OpenFile;
}

function mountDisk({ disk, layers, root }: MountDisk): void {
  try {
    using source = openPath(disk.path);
    const isDirectory = fstatSync(source.fd).isDirectory();
    using place = openBeneath(root, disk.path, { links: "none" });
    if (isDirectory && !disk.isReadOnly && couldOverlay(layers, disk.path, place)) {
      return;
    }
    bindReadOnly(source, place);
  } catch {
    // Its place is inside of what is made up, or it went away meanwhile, or it is broken: not a reason to start nothing.
  }
}

function couldOverlay(layers: RootLayers, lower: string, place: OpenFile): boolean {
  try {
    layers.overlay([lower], place);
    return true;
  } catch {
    // Not every file system can be below an overlay; it is shown as it is, read-only.
    return false;
  }
}

function bindReadOnly(source: OpenFile, place: OpenFile): void {
  using tree = cloneTree(source, { isRecursive: true });
  mountSetattr(tree, { set: MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV, isRecursive: true });
  moveMount(tree, place);
}

/** Made by the container's own mounts, or none of its business. */
const ownDirectories: ReadonlySet<string> = new Set(["proc", "sys", "dev", "run", "tmp"]);

/**
 * In a user namespace an overlay of "/" is refused, because it would show what other mounts hide. So the root is a
 * tmpfs, with an overlay, or else a read-only view, of each directory of "/".
 */
function assembleRoot(layers: RootLayers, place: string): OpenFile {
  mount({
    source: "tmpfs",
    target: place,
    type: "tmpfs",
    flags: MS_NOSUID | MS_NODEV,
    data: "mode=755",
  });
  const root = openPath(place);
  for (const entry of readdirSync("/", { withFileTypes: true })) {
    showEntry({ entry, layers, root, place });
  }
  return root;
}

interface ShowEntry {
  readonly entry: Dirent;
  readonly layers: RootLayers;
  readonly root: OpenFile;
  readonly place: string;
}

function showEntry({ entry, layers, root, place }: ShowEntry): void {
  const path = `/${entry.name}`;
  if (entry.isSymbolicLink()) {
    symlinkSync(readlinkSync(path), join(place, entry.name));
    return;
  }
  if (!entry.isDirectory()) {
    return;
  }
  const mode = entry.name === "tmp" ? 0o1777 : 0o755;
  using at = makeInRoot(root, path, { sort: "directory", mode });
  if (ownDirectories.has(entry.name) || couldOverlay(layers, path, at)) {
    return;
  }
  try {
    using source = openPath(path);
    bindReadOnly(source, at);
  } catch (err) {
    // Not ours to read: an empty directory is what the container sees.
    if (!isErrno(err, "EACCES", "EPERM")) {
      throw err;
    }
  }
}

function openPath(path: string): OpenFile {
  return openat2({ dir: AT_FDCWD, path, flags: O_PATH, resolve: 0 });
}
