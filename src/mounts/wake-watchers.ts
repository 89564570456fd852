// Replacing a mount is no event to anybody who watches files. A watcher of the file watches the old one, which is still there; a
// watcher of its directory hears of what happens to the file that the mount hides. So both are opened for writing, and changed in a way
// that changes nothing, which is told as MODIFY and CLOSE_WRITE. Whoever then looks finds the new file. The old one is ours, and is cut
// to the length that it has. The hidden one may be written by somebody at this very moment, so a hole is made far behind its end.
//
// Nothing here may fail: who is not woken hears of the old version's removal, or looks from time to time.

import { constants, fstatSync, ftruncateSync, futimesSync, readdirSync } from "node:fs";
import { posix } from "node:path";
import { isErrno } from "../base/errors.ts";
import { mountStatus } from "./mount-mark.ts";
import type { MountTable } from "./mount-table.ts";
import type { NamespaceVisitor } from "./namespace-visitor.ts";
import {
  AT_FDCWD,
  cloneTree,
  MOUNT_ATTR_RDONLY,
  mountSetattr,
  O_PATH,
  type OpenFile,
  openat2,
  punchHole,
  RESOLVE_BENEATH,
  RESOLVE_NO_SYMLINKS,
} from "./system-calls.ts";

/** Of an old directory; who watches more of them hears of the rest when they are removed. */
const MAX_FILES = 1000;
const MAX_DEPTH = 8;
/** Behind the end of any file that could be meant, and before that of any file that a file system could have. */
const FAR = 2 ** 40;
const O_WAKE = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

export class WakeUpCalls implements Disposable {
  readonly #files = new DisposableStack();
  readonly #visitor: NamespaceVisitor;
  readonly #old: OpenFile[] = [];
  /** Directories without what is mounted in them, by path. */
  readonly #parents = new Map<string, OpenFile | undefined>();
  readonly #hidden: { readonly parent: OpenFile; readonly name: string }[] = [];

  constructor(visitor: NamespaceVisitor) {
    this.#visitor = visitor;
  }

  /** Who watches this file, or what is in this directory. It can be written to, and stays the caller's. */
  forOld(file: OpenFile): void {
    this.#old.push(file);
  }

  /** The same for one that cannot; in the container's namespace, before its mount goes. */
  forOldMount(place: OpenFile): void {
    const old = quietly(() => writable(place));
    if (old !== undefined) this.#old.push(this.#files.use(old));
  }

  /** Who watches the directory; in the container's namespace, before the mount at `path` is replaced. */
  forParent(path: string, table: MountTable): void {
    const directory = posix.dirname(path);
    if (!this.#parents.has(directory)) {
      this.#parents.set(
        directory,
        quietly(() => openParent(directory, table)),
      );
    }
    const parent = this.#parents.get(directory);
    if (parent !== undefined) this.#hidden.push({ parent, name: posix.basename(path) });
  }

  /** At home, when it was. */
  wake(): void {
    for (const old of this.#old) {
      quietly(() => {
        if (fstatSync(old.fd).isDirectory()) this.#touchAll(old);
        else this.#touch(old);
      });
    }
    for (const { parent, name } of this.#hidden) {
      quietly(() => {
        using file = below(parent, name);
        this.#touchHidden(file);
      });
    }
  }

  [Symbol.dispose](): void {
    for (const parent of this.#parents.values()) parent?.[Symbol.dispose]();
    this.#files[Symbol.dispose]();
  }

  #touchAll(root: OpenFile): void {
    let left = MAX_FILES;
    const walk = (directory: OpenFile, depth: number): void => {
      using readable = this.#visitor.reopen(directory, constants.O_RDONLY);
      const names = readdirSync(`/proc/self/fd/${readable.fd}`);
      for (const name of names.slice(0, left)) {
        using file = below(directory, name);
        left -= 1;
        if (fstatSync(file.fd).isDirectory() && depth < MAX_DEPTH) walk(file, depth + 1);
        else this.#touch(file);
      }
      // An empty directory has no file whose change could be told.
      if (names.length === 0) {
        const { atime, mtime } = fstatSync(readable.fd);
        futimesSync(readable.fd, atime, mtime);
      }
    };
    walk(root, 0);
  }

  #touchHidden(file: OpenFile): void {
    if (!fstatSync(file.fd).isFile()) return;
    using open = this.#visitor.reopen(file, O_WAKE & ~constants.O_NOFOLLOW);
    try {
      punchHole(open, { offset: FAR, length: 4096 });
    } catch (err) {
      if (!isErrno(err, "EOPNOTSUPP", "ENOTSUP", "ENOSYS")) throw err;
      const { atime, mtime } = fstatSync(open.fd);
      futimesSync(open.fd, atime, mtime);
    }
  }

  /** Only what is a plain file: to open anything else may do anything. */
  #touch(file: OpenFile): void {
    if (!fstatSync(file.fd).isFile()) return;
    using open = this.#visitor.reopen(file, O_WAKE & ~constants.O_NOFOLLOW);
    ftruncateSync(open.fd, fstatSync(open.fd).size);
  }
}

function below(directory: OpenFile, name: string): OpenFile {
  return openat2({
    dir: directory.fd,
    path: name,
    flags: O_PATH | constants.O_NOFOLLOW,
    resolve: RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
  });
}

/** The same file, on a mount of its own that nobody else has. */
function writable(of: OpenFile): OpenFile {
  const tree = cloneTree(of, { isRecursive: false });
  try {
    mountSetattr(tree, { clear: MOUNT_ATTR_RDONLY, isRecursive: false });
    return tree;
  } catch (err) {
    tree[Symbol.dispose]();
    throw err;
  }
}

/** Undefined if nothing there may be touched: what is read-only may be somebody else's, but for the container's own root. */
function openParent(directory: string, table: MountTable): OpenFile | undefined {
  using found = openat2({
    dir: AT_FDCWD,
    path: directory,
    flags: O_PATH | constants.O_DIRECTORY,
    resolve: RESOLVE_NO_SYMLINKS,
  });
  const mount = table.get(mountStatus(found).id);
  if (mount === undefined || (mount.isReadOnly && mount.fsType !== "overlay")) return undefined;
  return writable(found);
}

function quietly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined; // See above: nothing here may fail.
  }
}
