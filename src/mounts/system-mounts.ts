// Mounts by system calls. Places are opened without following a symbolic link, and used by their descriptor.

import { isErrno } from "../base/errors.ts";
import { mountsBelow, readMountInfo, topmostAt } from "./mount-info.ts";
import type { MountEntry, Mounts, TmpfsOptions } from "./mounts.ts";
import { bindFd, openNoLinks } from "./safe-path.ts";
import {
  MNT_DETACH,
  MS_NODEV,
  MS_NOEXEC,
  MS_NOSUID,
  MS_REMOUNT,
  mount,
  pathOf,
  umount2,
} from "./system-calls.ts";

const volumeFlags = MS_NOSUID | MS_NODEV;

export class SystemMounts implements Mounts {
  /** Until the kernel has said that it cannot: before 6.4, and in user namespaces. */
  #hasNoSwap = true;

  tmpfs(directory: string, { sizeBytes, mode, maxInodes, isExecutable }: TmpfsOptions): void {
    using place = openNoLinks(directory);
    const options = [`mode=${mode.toString(8)}`];
    if (sizeBytes !== undefined) {
      options.push(`size=${sizeBytes}`);
    }
    if (maxInodes !== undefined) {
      options.push(`nr_inodes=${maxInodes}`);
    }
    const mountWith = (all: readonly string[]): void =>
      mount({
        source: "tmpfs",
        target: pathOf(place),
        type: "tmpfs",
        flags: flagsFor(isExecutable),
        data: all.join(","),
      });
    if (this.#hasNoSwap) {
      try {
        mountWith([...options, "noswap"]);
        return;
      } catch (err) {
        if (!isErrno(err, "EINVAL")) {
          throw named(err, directory);
        }
        this.#hasNoSwap = false;
      }
    }
    try {
      mountWith(options);
    } catch (err) {
      throw named(err, directory);
    }
  }

  resizeTmpfs(
    directory: string,
    { sizeBytes, isExecutable }: Pick<TmpfsOptions, "sizeBytes" | "isExecutable">,
  ): void {
    using place = openNoLinks(directory);
    try {
      mount({
        source: null,
        target: pathOf(place),
        type: null,
        flags: MS_REMOUNT | flagsFor(isExecutable),
        data: sizeBytes === undefined ? "" : `size=${sizeBytes}`,
      });
    } catch (err) {
      throw named(err, directory);
    }
  }

  bind(source: string, target: string, options: { readonly isReadOnly: boolean }): void {
    using file = openNoLinks(source);
    bindFd(file, target, options);
  }

  unmount(target: string): void {
    try {
      using place = openNoLinks(target);
      umount2(pathOf(place), MNT_DETACH);
    } catch (err) {
      // EINVAL: no mount is there. ENOENT: nothing is.
      if (!isErrno(err, "EINVAL", "ENOENT")) {
        throw named(err, target);
      }
    }
  }

  at(path: string): MountEntry | undefined {
    return topmostAt(readMountInfo(), path);
  }

  below(path: string): readonly MountEntry[] {
    return mountsBelow(readMountInfo(), path);
  }
}

/** Says the place and not the descriptor by which it was used. */
function named(err: unknown, path: string): unknown {
  if (err instanceof Error && "path" in err && typeof err.path === "string") {
    err.message = err.message.replace(err.path, path);
    err.path = path;
  }
  return err;
}

function flagsFor(isExecutable: boolean | undefined): number {
  return isExecutable === true ? volumeFlags : volumeFlags | MS_NOEXEC;
}
