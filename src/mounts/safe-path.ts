// Paths that somebody else may change while we walk them: a container that owns a volume can put a symbolic link to
// anywhere into it at any moment. The kernel walks (openat2) and refuses to leave the root; what was opened is then used
// by its descriptor and never by its name again.

import { fchmodSync, readlinkSync, realpathSync } from "node:fs";
import { posix } from "node:path";
import { isErrno } from "../base/errors.ts";
import {
  AT_FDCWD,
  cloneTree,
  MOUNT_ATTR_RDONLY,
  mkdirat,
  mountSetattr,
  moveMount,
  O_PATH,
  type OpenFile,
  openat2,
  pathOf,
  RESOLVE_BENEATH,
  RESOLVE_IN_ROOT,
  RESOLVE_NO_MAGICLINKS,
  RESOLVE_NO_SYMLINKS,
  readlinkat,
} from "./system-calls.ts";

const O_DIRECTORY = 0o200000;
const O_NOFOLLOW = 0o400000;
/** As many as the kernel follows in one path. */
const maxLinks = 40;

/**
 * What a symbolic link below the root may do. "none": nothing, it is an error. "beneath": be followed to a place below the
 * root; one that leads out of it is an error, and an absolute one means what it means on the machine. "in-root": be followed as if the root were "/".
 */
type LinkPolicy = "none" | "beneath" | "in-root";

const resolveFlags: Readonly<Record<LinkPolicy, number>> = {
  none: RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
  beneath: RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
  "in-root": RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
};

export interface OpenBeneathOptions {
  /** "none" if it is missing. */
  readonly links?: LinkPolicy;
  /** O_PATH if it is missing: good for mounts, fstat and the way through /proc/self/fd, not for reading. */
  readonly flags?: number;
}

/** Opens what is at `path` below `root`. A path that climbs out of the root is an error, as are links that may not be. */
export function openBeneath(
  root: string | OpenFile,
  path: string,
  options: OpenBeneathOptions = {},
): OpenFile {
  const links = options.links ?? "none";
  const relative = links === "in-root" ? path : checkedRelative(path);
  using base = openRoot(root);
  return openAt(base, relative, { links, flags: options.flags ?? O_PATH });
}

/** Makes the directories that are missing; all that it makes get exactly `mode`. A link below the root is followed if it stays beneath it. */
export function makeDirectories(root: string | OpenFile, path: string, mode: number): void {
  using base = openRoot(root);
  let made = "";
  for (const name of checkedRelative(path).split("/")) {
    const parent = made;
    made = posix.join(made, name);
    if (isThere(base, made)) {
      continue;
    }
    using directory = openDirectory(base, parent, "beneath");
    makeOne(directory, name, mode);
  }
  openDirectory(base, made, "beneath")[Symbol.dispose]();
}

function isThere(base: OpenFile, path: string): boolean {
  try {
    openDirectory(base, path, "beneath")[Symbol.dispose]();
    return true;
  } catch (err) {
    if (isErrno(err, "ENOENT")) {
      return false;
    }
    throw err;
  }
}

function makeOne(directory: OpenFile, name: string, mode: number): void {
  mkdirat(directory, name, mode & 0o777);
  using made = openat2({
    dir: directory.fd,
    path: name,
    flags: O_DIRECTORY | O_NOFOLLOW,
    resolve: resolveFlags.none,
  });
  // The umask took bits away, and mkdir ignores set-user, set-group and sticky.
  fchmodSync(made.fd, mode);
}

type TargetSort = "directory" | "file";

export interface InRootOptions {
  /** What to make if nothing is there. */
  readonly sort: TargetSort;
  /** Of directories that are made. */
  readonly mode: number;
}

/**
 * The place at `path` of a container's root, made if it is missing. Links are followed as the container would follow
 * them, also one whose target is missing: that target is made.
 */
export function makeInRoot(root: OpenFile, path: string, options: InRootOptions): OpenFile {
  const rest = components(path);
  let at = "/";
  let links = 0;
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === "..") {
      at = posix.dirname(at);
      continue;
    }
    const next = posix.join(at, name);
    const link = linkTarget(root, next);
    if (link !== undefined) {
      links += 1;
      if (links > maxLinks) {
        throw new Error(`Cannot resolve "${path}" in the container: too many symbolic links`);
      }
      rest.unshift(...components(link));
      at = link.startsWith("/") ? "/" : at;
      continue;
    }
    makeMissing({
      root,
      at,
      name,
      sort: rest.length > 0 ? "directory" : options.sort,
      mode: options.mode,
    });
    at = next;
  }
  return openat2({ dir: root.fd, path: at, flags: O_PATH, resolve: resolveFlags["in-root"] });
}

function components(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

/** `path` has no links but, perhaps, its last component. */
function linkTarget(root: OpenFile, path: string): string | undefined {
  try {
    using file = openat2({
      dir: root.fd,
      path,
      flags: O_PATH | O_NOFOLLOW,
      resolve: resolveFlags["in-root"],
    });
    return readlinkat(file);
  } catch (err) {
    if (isErrno(err, "ENOENT")) {
      return undefined;
    }
    throw err;
  }
}

interface Missing {
  readonly root: OpenFile;
  readonly at: string;
  readonly name: string;
  readonly sort: TargetSort;
  readonly mode: number;
}

function makeMissing({ root, at, name, sort, mode }: Missing): void {
  using parent = openDirectory(root, at, "in-root");
  try {
    if (sort === "directory") {
      mkdirat(parent, name, mode);
    } else {
      makeEmptyFile(parent, name);
    }
  } catch (err) {
    // What is there is not a link, or it would have been followed. A wrong sort is the caller's to notice.
    if (!isErrno(err, "EEXIST")) {
      throw err;
    }
  }
}

function makeEmptyFile(parent: OpenFile, name: string): void {
  const O_CREAT = 0o100;
  const O_EXCL = 0o200;
  openat2({
    dir: parent.fd,
    path: name,
    flags: O_CREAT | O_EXCL | O_NOFOLLOW,
    mode: 0o644,
    resolve: resolveFlags.none,
  })[Symbol.dispose]();
}

/** Shows what the descriptor names at the place that `target` names, a path without symbolic links. */
export function bindFd(
  source: OpenFile,
  target: string,
  { isReadOnly }: { readonly isReadOnly: boolean },
): void {
  using place = openNoLinks(target);
  using tree = cloneAny(source, target);
  if (isReadOnly) {
    mountSetattr(tree, { set: MOUNT_ATTR_RDONLY, isRecursive: true, path: target });
  }
  moveMount(tree, place, { path: target });
}

function cloneAny(source: OpenFile, path: string): OpenFile {
  try {
    return cloneTree(source, { isRecursive: false, path });
  } catch (err) {
    if (isErrno(err, "EINVAL")) {
      // In a user namespace a mount that hides something may not be left out.
      return cloneTree(source, { isRecursive: true, path });
    }
    throw err;
  }
}

/** Opens an absolute path in which no component is a symbolic link. */
export function openNoLinks(path: string, flags: number = O_PATH): OpenFile {
  return openat2({ dir: AT_FDCWD, path, flags, resolve: RESOLVE_NO_SYMLINKS });
}

function openRoot(root: string | OpenFile): OpenFile {
  if (typeof root !== "string") {
    // Somebody else's: not closed here.
    return { fd: root.fd, [Symbol.dispose]: () => undefined };
  }
  return openat2({ dir: AT_FDCWD, path: root, flags: O_PATH | O_DIRECTORY, resolve: 0 });
}

function openDirectory(base: OpenFile, path: string, links: LinkPolicy): OpenFile {
  return openAt(base, path, { links, flags: O_PATH | O_DIRECTORY });
}

function openAt(
  base: OpenFile,
  path: string,
  { links, flags }: Required<OpenBeneathOptions>,
): OpenFile {
  const open = (at: string, policy: LinkPolicy): OpenFile =>
    openat2({ dir: base.fd, path: at === "" ? "." : at, flags, resolve: resolveFlags[policy] });
  try {
    return open(path, links);
  } catch (err) {
    // A link to an absolute path may stay below the root, which the kernel does not find out.
    const inside = links === "beneath" && isErrno(err, "EXDEV") ? insideOf(base, path) : undefined;
    if (inside === undefined) {
      throw err;
    }
    // What was a directory when it was looked at may be a link by now, and is refused then.
    return open(inside, "none");
  }
}

/** Where the path leads to, relative to the root; undefined if that is outside of it. */
function insideOf(base: OpenFile, path: string): string | undefined {
  const root = readlinkSync(pathOf(base));
  const real = realpathSync(posix.join(root, path));
  return real === root || real.startsWith(`${root}/`) ? real.slice(root.length + 1) : undefined;
}

/** Refused although the kernel would keep it inside: whoever writes ".." means somewhere else. */
function checkedRelative(path: string): string {
  if (path.split("/").includes("..")) {
    throw new Error(`Cannot open "${path}": a path below a root has no ".." in it`);
  }
  return posix.normalize(path).replace(/^\/+/, "").replace(/\/$/, "");
}
