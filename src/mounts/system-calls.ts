// System calls about mounts, paths and namespaces, one function each. They wait for nobody, so they are synchronous.
// Numbers are those of <linux/mount.h>, <linux/openat2.h>, <linux/sched.h>.

import { isErrno } from "../base/errors.ts";
import { type Argument, call, callNumber, type SystemCall } from "./libc.ts";

export const AT_FDCWD = -100;
export const AT_EMPTY_PATH = 0x1000;
const AT_RECURSIVE = 0x8000;

export const O_PATH = 0o10000000;
const O_CLOEXEC = 0o2000000;

export const MS_RDONLY = 0x1;
export const MS_NOSUID = 0x2;
export const MS_NODEV = 0x4;
export const MS_NOEXEC = 0x8;
export const MS_REMOUNT = 0x20;
export const MS_REC = 0x4000;
export const MS_PRIVATE = 0x40000;
export const MS_SLAVE = 0x80000;

export const MNT_DETACH = 2;

export const MOUNT_ATTR_RDONLY = 0x1;
export const MOUNT_ATTR_NODEV = 0x4;

export const MOVE_MOUNT_BENEATH = 0x200;
const MOVE_MOUNT_F_EMPTY_PATH = 0x4;
const MOVE_MOUNT_T_EMPTY_PATH = 0x40;
const OPEN_TREE_CLONE = 1;

export const RESOLVE_NO_MAGICLINKS = 0x2;
export const RESOLVE_NO_SYMLINKS = 0x4;
export const RESOLVE_BENEATH = 0x8;
export const RESOLVE_IN_ROOT = 0x10;

export const CLONE_FS = 0x200;
export const CLONE_NEWNS = 0x20000;
export const CLONE_NEWCGROUP = 0x2000000;
export const CLONE_NEWUTS = 0x4000000;
export const CLONE_NEWIPC = 0x8000000;

const S_IFIFO = 0o010000;
export const S_IFCHR = 0o020000;
export const S_IFBLK = 0o060000;

/** A file descriptor that closes itself: `using file = openat2(…)`. */
export interface OpenFile extends Disposable {
  readonly fd: number;
}

export function openFile(fd: number): OpenFile {
  return { fd, [Symbol.dispose]: () => close(fd) };
}

/** The way to a file by its descriptor, for calls that take a path. */
export function pathOf({ fd }: OpenFile): string {
  return `/proc/self/fd/${fd}`;
}

function close(fd: number): void {
  call("int close(int fd)", [fd], { syscall: "close" });
}

export interface MountCall {
  readonly source: string | null;
  readonly target: string;
  readonly type: string | null;
  readonly flags: number;
  readonly data?: string;
}

export function mount({ source, target, type, flags, data }: MountCall): void {
  call(
    "int mount(const char *source, const char *target, const char *type, unsigned long flags, const char *data)",
    [source, target, type, flags, data ?? null],
    { syscall: "mount", path: target },
  );
}

export function umount2(target: string, flags: number): void {
  call("int umount2(const char *target, int flags)", [target, flags], {
    syscall: "umount2",
    path: target,
  });
}

export interface OpenTreeOptions {
  /** With the mounts below it. */
  readonly isRecursive: boolean;
  /** For messages. */
  readonly path?: string;
}

/** A mount of its own of what the descriptor names, attached nowhere yet. */
export function cloneTree(of: OpenFile, { isRecursive, path }: OpenTreeOptions): OpenFile {
  const flags = OPEN_TREE_CLONE | O_CLOEXEC | AT_EMPTY_PATH | (isRecursive ? AT_RECURSIVE : 0);
  return openFile(
    raw(
      "open_tree",
      "long syscall(long number, int dir, const char *path, unsigned int flags)",
      [of.fd, "", flags],
      path,
    ),
  );
}

export interface MoveMountOptions {
  /** 0 or MOVE_MOUNT_BENEATH. */
  readonly flags?: number;
  /** For messages. */
  readonly path?: string;
}

/** Attaches a tree at the place that `target` names. */
export function moveMount(tree: OpenFile, target: OpenFile, options: MoveMountOptions = {}): void {
  const flags = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH | (options.flags ?? 0);
  raw(
    "move_mount",
    "long syscall(long number, int fromDir, const char *fromPath, int toDir, const char *toPath, unsigned int flags)",
    [tree.fd, "", target.fd, "", flags],
    options.path,
  );
}

export interface MountAttributes {
  readonly set?: number;
  readonly clear?: number;
  /** MS_PRIVATE, MS_SLAVE or MS_SHARED; 0 leaves it. */
  readonly propagation?: number;
  readonly isRecursive: boolean;
  readonly path?: string;
}

export function mountSetattr(of: OpenFile, attributes: MountAttributes): void {
  const { set, clear, propagation, isRecursive, path } = attributes;
  const struct = new BigUint64Array([
    BigInt(set ?? 0),
    BigInt(clear ?? 0),
    BigInt(propagation ?? 0),
    0n,
  ]);
  raw(
    "mount_setattr",
    "long syscall(long number, int dir, const char *path, unsigned int flags, void *attributes, size_t size)",
    [
      of.fd,
      "",
      AT_EMPTY_PATH | (isRecursive ? AT_RECURSIVE : 0),
      new Uint8Array(struct.buffer),
      struct.byteLength,
    ],
    path,
  );
}

export interface OpenHow {
  /** AT_FDCWD or a directory's descriptor. */
  readonly dir: number;
  readonly path: string;
  readonly flags: number;
  readonly mode?: number;
  readonly resolve: number;
}

export function openat2({ dir, path, flags, mode, resolve }: OpenHow): OpenFile {
  const struct = new BigUint64Array([
    BigInt(flags | O_CLOEXEC),
    BigInt(mode ?? 0),
    BigInt(resolve),
  ]);
  return openFile(
    raw(
      "openat2",
      "long syscall(long number, int dir, const char *path, void *how, size_t size)",
      [dir, path, new Uint8Array(struct.buffer), struct.byteLength],
      path,
    ),
  );
}

export function mkdirat(dir: OpenFile, name: string, mode: number): void {
  call("int mkdirat(int dir, const char *path, unsigned int mode)", [dir.fd, name, mode], {
    syscall: "mkdirat",
    path: name,
  });
}

export interface NodeCall {
  readonly path: string;
  /** With the sort of file: S_IFIFO | 0o600. */
  readonly mode: number;
  readonly device: { readonly major: number; readonly minor: number };
}

/** `path` is relative to `dir`, or absolute with AT_FDCWD. */
export function mknodat(dir: number, { path, mode, device }: NodeCall): void {
  // As both C libraries pack them, as long as the major number has no more than twelve bits: the kernel has no larger ones.
  const { major, minor } = device;
  const packed = (BigInt(minor >> 8) << 20n) | BigInt((major << 8) | (minor & 0xff));
  call(
    "int mknodat(int dir, const char *path, unsigned int mode, uint64_t device)",
    [dir, path, mode, packed],
    { syscall: "mknodat", path },
  );
}

/** Where the link that the descriptor names leads to; undefined if it names no link. */
export function readlinkat(link: OpenFile): string | undefined {
  const target = new Uint8Array(4096);
  try {
    const length = call(
      "long readlinkat(int dir, const char *path, void *buffer, size_t size)",
      [link.fd, "", target, target.length],
      { syscall: "readlinkat" },
    );
    return Buffer.from(target.subarray(0, length)).toString();
  } catch (err) {
    if (isErrno(err, "ENOENT", "EINVAL")) {
      return undefined;
    }
    throw err;
  }
}

/** A named pipe with exactly this mode, whatever the umask. */
export function makeFifo(path: string, mode: number): void {
  mknodat(AT_FDCWD, { path, mode: S_IFIFO | mode, device: { major: 0, minor: 0 } });
}

/** Gives back the disk's room there; the file's length stays. Who watches the file is told that it was changed, even if there was nothing. */
export function punchHole(
  { fd }: OpenFile,
  { offset, length }: { readonly offset: number; readonly length: number },
): void {
  const FALLOC_FL_KEEP_SIZE = 1;
  const FALLOC_FL_PUNCH_HOLE = 2;
  call(
    "int fallocate(int fd, int mode, int64_t offset, int64_t length)",
    [fd, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, offset, length],
    { syscall: "fallocate" },
  );
}

export function setns(file: OpenFile, type: number): void {
  call("int setns(int fd, int type)", [file.fd, type], { syscall: "setns" });
}

export function unshare(flags: number): void {
  call("int unshare(int flags)", [flags], { syscall: "unshare" });
}

/** Makes the directory the root, and puts nothing of the old root in it. */
export function pivotInto(root: OpenFile): void {
  fchdir(root);
  // Both "." : the old root is then stacked on the new one, and goes with the unmount.
  raw(
    "pivot_root",
    "long syscall(long number, const char *newRoot, const char *oldRoot)",
    [".", "."],
    ".",
  );
  umount2(".", MNT_DETACH);
  chdir("/");
}

export function fchdir(dir: OpenFile): void {
  call("int fchdir(int fd)", [dir.fd], { syscall: "fchdir" });
}

export function chroot(path: string): void {
  call("int chroot(const char *path)", [path], { syscall: "chroot", path });
}

/** Also in the one thread of a worker, where process.chdir is not there. */
export function chdir(path: string): void {
  call("int chdir(const char *path)", [path], { syscall: "chdir", path });
}

/** Whether this kernel knows the type of file system, or can load it. Throws for any other reason, such as EPERM. */
export function fsopen(type: string): OpenFile {
  return openFile(
    raw(
      "fsopen",
      "long syscall(long number, const char *type, unsigned int flags)",
      [type, 1],
      type,
    ),
  );
}

/** Sets a flag of a file system that is not mounted yet. */
export function fsconfigFlag(of: OpenFile, flag: string): void {
  raw(
    "fsconfig",
    "long syscall(long number, int fd, unsigned int command, const char *key, void *value, int aux)",
    [of.fd, 0, flag, null, 0],
    flag,
  );
}

/** The number of arguments and their types differ; the number of the call comes first. */
export function raw(
  name: SystemCall,
  prototype: string,
  args: readonly Argument[],
  path?: string,
): number {
  return call(prototype, [callNumber(name), ...args], { syscall: name, path });
}
