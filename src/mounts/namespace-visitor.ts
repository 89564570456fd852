// Goes into another process's mount namespace and comes back. Only for a thread that is there for nothing else: it leaves the
// file system context that all other threads of Node share. While it is away no path means what it means at home, and /proc may be
// anything that the container has put there; so home's /proc is held open, and used by its descriptor.

import { fstatSync, readFileSync } from "node:fs";
import { parseMountInfo } from "./mount-info.ts";
import { MountTable } from "./mount-table.ts";
import { isAlive, type ProcessIdentity } from "./process-calls.ts";
import {
  AT_FDCWD,
  CLONE_FS,
  CLONE_NEWNS,
  chroot,
  fchdir,
  MNT_DETACH,
  O_PATH,
  type OpenFile,
  openat2,
  setns,
  umount2,
  unshare,
} from "./system-calls.ts";

const O_RDONLY = 0;

/** The process is not there any more, or is none that one could visit. */
export class NoVisitError extends Error {
  override readonly name = "NoVisitError";
}

/** It did not get back home. Whatever this thread did next, it would do to a container. */
export class LostError extends Error {
  override readonly name = "LostError";
}

export class NamespaceVisitor {
  readonly #proc: OpenFile;
  readonly #root: OpenFile;
  readonly #home: OpenFile;

  /** From now on this thread has a root and a working directory of its own. */
  constructor() {
    unshare(CLONE_FS);
    this.#proc = open("/proc", O_PATH);
    this.#root = open("/", O_PATH);
    this.#home = open("/proc/thread-self/ns/mnt", O_RDONLY);
  }

  /** Calls `act` with this process's mounts in place of ours. Throws NoVisitError, LostError, and what `act` throws. */
  visit<T>(who: ProcessIdentity, act: () => T): T {
    using namespace = this.#namespaceOf(who);
    setns(namespace, CLONE_NEWNS);
    try {
      // Where no relative path leads into the container.
      fchdir(this.#proc);
      return act();
    } finally {
      this.#return();
    }
  }

  /** Of the namespace that this thread is in. */
  table(): MountTable {
    using file = this.#open("thread-self/mountinfo", O_RDONLY);
    return new MountTable(parseMountInfo(readFileSync(file.fd, "utf8")));
  }

  /** Opens once more what the descriptor names, with other flags. */
  reopen({ fd }: OpenFile, flags: number): OpenFile {
    return this.#open(`self/fd/${fd}`, flags);
  }

  /** Takes away the mount whose root the descriptor names; who uses it keeps it. Fails if it is mounted no more. */
  unmount({ fd }: OpenFile): void {
    fchdir(this.#proc);
    // By its descriptor: what its path leads to may be another by now.
    umount2(`self/fd/${fd}`, MNT_DETACH);
  }

  #namespaceOf(who: ProcessIdentity): OpenFile {
    const gone = `Process ${who.pid} is gone`;
    if (!isAlive(who)) throw new NoVisitError(gone);
    const namespace = this.#open(`${who.pid}/ns/mnt`, O_RDONLY);
    try {
      // After the open: what was opened is its namespace, and not that of another process that got its number.
      if (!isAlive(who)) throw new NoVisitError(gone);
      if (inodeOf(namespace) === inodeOf(this.#home)) {
        throw new NoVisitError(`Process ${who.pid} has our own mounts`);
      }
      return namespace;
    } catch (err) {
      namespace[Symbol.dispose]();
      throw err;
    }
  }

  #return(): void {
    try {
      setns(this.#home, CLONE_NEWNS);
      // To enter a namespace is to be at its root, which need not be ours.
      fchdir(this.#root);
      chroot(".");
    } catch (cause) {
      throw new LostError("Cannot return to our own mounts", { cause });
    }
  }

  #open(path: string, flags: number): OpenFile {
    return openat2({ dir: this.#proc.fd, path, flags, resolve: 0 });
  }
}

function open(path: string, flags: number): OpenFile {
  return openat2({ dir: AT_FDCWD, path, flags, resolve: 0 });
}

/** Which namespace it is. */
function inodeOf({ fd }: OpenFile): number {
  return fstatSync(fd).ino;
}
