// The Node program as launchers run it: through a mount of its own, which is read-only and attached nowhere. A container can come by the file that
// its launcher runs ("/proc/self/exe" as a command, or as the interpreter of a script), and as root it could write to it: that would be the
// machine's own program (CVE-2019-5736). Through this mount nobody can.

import { execPath } from "node:process";
import {
  AT_FDCWD,
  cloneTree,
  MOUNT_ATTR_NODEV,
  MOUNT_ATTR_RDONLY,
  mountSetattr,
  O_PATH,
  type OpenFile,
  openat2,
} from "../../mounts/system-calls.ts";

let opened: OpenFile | undefined;

/** A path to it for programs that this process starts, and those that they start, as long as this process lives. */
export function readOnlyNode(): string {
  opened ??= openReadOnly();
  return `/proc/${process.pid}/fd/${opened.fd}`;
}

function openReadOnly(): OpenFile {
  using file = openat2({ dir: AT_FDCWD, path: execPath, flags: O_PATH, resolve: 0 });
  const tree = cloneTree(file, { isRecursive: false, path: execPath });
  mountSetattr(tree, {
    set: MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV,
    isRecursive: false,
    path: execPath,
  });
  return tree;
}
