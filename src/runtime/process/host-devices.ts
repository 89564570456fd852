// The devices of the machine in the /dev of a privileged container, as other runtimes show them: all that are there when it starts, by their names.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isErrno } from "../../base/errors.ts";
import { makeInRoot, openBeneath } from "../../mounts/safe-path.ts";
import {
  AT_FDCWD,
  cloneTree,
  mknodat,
  moveMount,
  O_PATH,
  type OpenFile,
  openat2,
  S_IFBLK,
  S_IFCHR,
} from "../../mounts/system-calls.ts";

/** Directories and devices that a container has of its own. */
const own: ReadonlySet<string> = new Set(["pts", "shm", "fd", "mqueue", "console", "ptmx"]);

/** `root` has a /dev of its own, and the machine's is still at its place. */
export function showHostDevices(root: OpenFile): void {
  for (const path of devicesIn("/dev", own)) {
    showDevice(root, path);
  }
}

function devicesIn(directory: string, except: ReadonlySet<string>): readonly string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => !except.has(name))
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return devicesIn(path, new Set());
      return entry.isCharacterDevice() || entry.isBlockDevice() ? [path] : [];
    });
}

function showDevice(root: OpenFile, path: string): void {
  const { mode, rdev } = statSync(path);
  const device = { major: (rdev >> 8) & 0xfff, minor: (rdev & 0xff) | ((rdev >> 12) & ~0xff) };
  const directory = path.slice(0, path.lastIndexOf("/"));
  using parent = makeInRoot(root, directory, { sort: "directory", mode: 0o755 });
  try {
    const sort = mode & (S_IFBLK | S_IFCHR);
    const name = path.slice(directory.length + 1);
    mknodat(parent.fd, { path: name, mode: sort | (mode & 0o777), device });
  } catch (err) {
    if (isErrno(err, "EPERM")) {
      bindDevice(root, path);
    } else if (!isErrno(err, "EEXIST")) {
      throw err;
    }
  }
}

/** In a user namespace nobody makes devices; the machine's own serve as well, for whom the machine lets in. */
function bindDevice(root: OpenFile, path: string): void {
  using _made = makeInRoot(root, path, { sort: "file", mode: 0o755 });
  using place = openBeneath(root, path, { links: "in-root" });
  using source = openat2({ dir: AT_FDCWD, path, flags: O_PATH, resolve: 0 });
  using tree = cloneTree(source, { isRecursive: false });
  moveMount(tree, place);
}
