// Where the parts of volumes are mounted in our own namespace, for the next start of a container to mount from. What is there need not be
// new: whoever prepares a start looks at it. It is renewed so that nobody holds on to what was removed.

import { isErrno } from "../base/errors.ts";
import { fileMark, mountStatus } from "./mount-mark.ts";
import type { NamespaceVisitor } from "./namespace-visitor.ts";
import { openNoLinks } from "./safe-path.ts";
import { cloneTree, MOVE_MOUNT_BENEATH, moveMount, type OpenFile } from "./system-calls.ts";

/** The root of what is mounted there; undefined if nothing is. */
export function openOwn(path: string): OpenFile | undefined {
  try {
    const place = openNoLinks(path);
    if (mountStatus(place).isRoot) return place;
    place[Symbol.dispose]();
    return undefined;
  } catch (err) {
    if (isErrno(err, "ENOENT", "ENOTDIR")) return undefined;
    throw err;
  }
}

/** Puts the source beneath it, unless it is there. Returns whether it did: then `own` has to be taken away. */
export function putBeneathOwn(own: OpenFile, source: OpenFile): boolean {
  if (fileMark(own).inode === fileMark(source).inode) return false;
  using tree = cloneTree(source, { isRecursive: false });
  moveMount(tree, own, { flags: MOVE_MOUNT_BENEATH });
  return true;
}

/** Who was killed in between left two: the upper one goes, the older. */
export function settleOwn(paths: readonly string[], visitor: NamespaceVisitor): void {
  const table = visitor.table();
  for (const path of paths) {
    for (let count = table.at(path).length; count > 1; count--) {
      using own = openOwn(path);
      if (own) visitor.unmount(own);
    }
  }
}
