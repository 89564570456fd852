// The mounts that a container asked for. Sources are taken as trees while the machine's root is there; places are found
// inside the container's root, and no link of its image leads out of it.

import { fstatSync } from "node:fs";
import { mountOf, readMountInfo } from "../../mounts/mount-info.ts";
import { type MountMark, markOf } from "../../mounts/mount-mark.ts";
import { makeInRoot } from "../../mounts/safe-path.ts";
import {
  AT_FDCWD,
  cloneTree,
  MOUNT_ATTR_NODEV,
  MOUNT_ATTR_RDONLY,
  MS_PRIVATE,
  MS_SLAVE,
  mountSetattr,
  moveMount,
  O_PATH,
  type OpenFile,
  openat2,
} from "../../mounts/system-calls.ts";
import type { ContainerMount } from "../runtime.ts";
import { LaunchError, step } from "./launch-error.ts";

export interface PreparedMount {
  readonly mount: ContainerMount;
  readonly tree: OpenFile;
  readonly isDirectory: boolean;
}

export interface PrepareOptions {
  /** Devices in them can be opened. */
  readonly hasDevices: boolean;
}

/** In the order in which they have to be mounted: what is above first. */
export function prepareMounts(
  mounts: readonly ContainerMount[],
  options: PrepareOptions,
): readonly PreparedMount[] {
  return mounts
    .toSorted((a, b) => depthOf(a.containerPath) - depthOf(b.containerPath))
    .map((mount) =>
      step(`error mounting "${mount.hostPath}" to rootfs at "${mount.containerPath}"`, () =>
        prepare(mount, options),
      ),
    );
}

function depthOf(path: string): number {
  return path.split("/").filter((name) => name !== "").length;
}

function prepare(mount: ContainerMount, { hasDevices }: PrepareOptions): PreparedMount {
  const { hostPath, isReadOnly, propagation } = mount;
  using source = openat2({ dir: AT_FDCWD, path: hostPath, flags: O_PATH, resolve: 0 });
  if (propagation === "Bidirectional" && !isShared(hostPath)) {
    throw new LaunchError(
      `path "${hostPath}" is not on a shared mount: mounts made in the container could not reach it`,
    );
  }
  const tree = cloneTree(source, { isRecursive: true, path: hostPath });
  mountSetattr(tree, {
    set: (isReadOnly ? MOUNT_ATTR_RDONLY : 0) | (hasDevices ? 0 : MOUNT_ATTR_NODEV),
    propagation: propagations[propagation],
    // Read-only with all that is mounted below it: a writable disk in a read-only directory is no promise kept.
    isRecursive: true,
    path: hostPath,
  });
  return { mount, tree, isDirectory: fstatSync(tree.fd).isDirectory() };
}

const propagations: Readonly<Record<ContainerMount["propagation"], number>> = {
  None: MS_PRIVATE,
  HostToContainer: MS_SLAVE,
  Bidirectional: 0,
};

function isShared(path: string): boolean {
  const mount = mountOf(readMountInfo(), path);
  return mount?.tags.some((tag) => tag.startsWith("shared:")) ?? false;
}

/** Which mount it is from now on. */
export function attachMount(
  root: OpenFile,
  { mount, tree, isDirectory }: PreparedMount,
): MountMark {
  const { hostPath, containerPath } = mount;
  return step(`error mounting "${hostPath}" to rootfs at "${containerPath}"`, () => {
    if (depthOf(containerPath) === 0) {
      throw new Error("the root itself comes from the image");
    }
    using place = makeInRoot(root, containerPath, {
      sort: isDirectory ? "directory" : "file",
      mode: 0o755,
    });
    if (fstatSync(place.fd).isDirectory() !== isDirectory) {
      throw new LaunchError(
        `error mounting "${hostPath}" to rootfs at "${containerPath}": not a directory: Are you trying to mount a directory onto a file (or vice-versa)? Check if the specified host path exists and is the expected type`,
      );
    }
    moveMount(tree, place, { path: containerPath });
    const mark = markOf(tree);
    tree[Symbol.dispose]();
    return mark;
  });
}
