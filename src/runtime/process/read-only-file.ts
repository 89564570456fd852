// A file of the machine for containers, through a mount of its own that is read-only and attached nowhere: not even root changes the file through it,
// neither what is in it nor whose it is.

import {
  AT_FDCWD,
  cloneTree,
  MOUNT_ATTR_RDONLY,
  mountSetattr,
  O_PATH,
  type OpenFile,
  openat2,
} from "../../mounts/system-calls.ts";

const opened = new Map<string, OpenFile>();

export interface ReadOnlyOptions {
  /** MOUNT_ATTR_…, besides being read-only. */
  readonly attributes?: number;
}

/** A path to it for programs that this process starts, and those that they start, as long as this process lives. */
export function readOnlyFile(path: string, { attributes = 0 }: ReadOnlyOptions = {}): string {
  let file = opened.get(path);
  if (!file) {
    file = open(path, attributes);
    opened.set(path, file);
  }
  return `/proc/${process.pid}/fd/${file.fd}`;
}

function open(path: string, attributes: number): OpenFile {
  using file = openat2({ dir: AT_FDCWD, path, flags: O_PATH, resolve: 0 });
  const tree = cloneTree(file, { isRecursive: false, path });
  mountSetattr(tree, { set: MOUNT_ATTR_RDONLY | attributes, isRecursive: false, path });
  return tree;
}
