// What every container has of the kernel: /proc of its own processes, /sys to read, a /dev with the few harmless devices;
// and what of these no container should see or change. The lists are those of the OCI runtimes. A privileged container has all of it.

import { fstatSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { isErrno } from "../../base/errors.ts";
import { makeInRoot, openBeneath } from "../../mounts/safe-path.ts";
import {
  AT_FDCWD,
  cloneTree,
  MOUNT_ATTR_NODEV,
  MOUNT_ATTR_RDONLY,
  MS_NODEV,
  MS_NOEXEC,
  MS_NOSUID,
  MS_RDONLY,
  mknodat,
  mount,
  mountSetattr,
  moveMount,
  O_PATH,
  type OpenFile,
  openat2,
  pathOf,
  S_IFCHR,
} from "../../mounts/system-calls.ts";
import { showHostDevices } from "./host-devices.ts";
import { step } from "./launch-error.ts";

const safe = MS_NOSUID | MS_NODEV | MS_NOEXEC;

export interface KernelFilesOptions {
  /** The pod's, on the machine. */
  readonly shm: string;
  /** All of the machine's devices, and /sys to write. */
  readonly isPrivileged: boolean;
}

export function mountKernelFiles(root: OpenFile, { shm, isPrivileged }: KernelFilesOptions): void {
  step(`error mounting "proc" to rootfs at "/proc"`, () => mountProc(root));
  step(`error mounting "sysfs" to rootfs at "/sys"`, () => mountSys(root, isPrivileged));
  step(`error mounting "tmpfs" to rootfs at "/dev"`, () => {
    mountDev(root, shm);
    if (isPrivileged) {
      showHostDevices(root);
    } else {
      admitNoFurtherDevices(root);
    }
  });
}

function mountProc(root: OpenFile): void {
  using place = directoryIn(root, "/proc");
  try {
    mount({ source: "proc", target: pathOf(place), type: "proc", flags: safe });
  } catch (err) {
    // Not for user namespaces that have the machine's processes: theirs is the machine's own.
    if (!isErrno(err, "EPERM") || readlinkSync("/proc/self") !== String(process.pid)) {
      throw err;
    }
    using source = openPath("/proc");
    using tree = cloneTree(source, { isRecursive: true });
    moveMount(tree, place);
  }
}

function mountSys(root: OpenFile, isWritable: boolean): void {
  using place = directoryIn(root, "/sys");
  const flags = isWritable ? safe : safe | MS_RDONLY;
  try {
    mount({ source: "sysfs", target: pathOf(place), type: "sysfs", flags });
  } catch (err) {
    if (!isErrno(err, "EPERM")) {
      throw err;
    }
    // Not for user namespaces that use the machine's network: theirs is the machine's own, made read-only.
    using source = openPath("/sys");
    bindReadOnly(source, place);
  }
}

const devices: readonly {
  readonly name: string;
  readonly major: number;
  readonly minor: number;
}[] = [
  { name: "null", major: 1, minor: 3 },
  { name: "zero", major: 1, minor: 5 },
  { name: "full", major: 1, minor: 7 },
  { name: "random", major: 1, minor: 8 },
  { name: "urandom", major: 1, minor: 9 },
  { name: "tty", major: 5, minor: 0 },
];

const links: readonly (readonly [name: string, target: string])[] = [
  ["fd", "/proc/self/fd"],
  ["stdin", "/proc/self/fd/0"],
  ["stdout", "/proc/self/fd/1"],
  ["stderr", "/proc/self/fd/2"],
  ["ptmx", "pts/ptmx"],
];

function mountDev(root: OpenFile, shm: string): void {
  using place = directoryIn(root, "/dev");
  mount({
    source: "tmpfs",
    target: pathOf(place),
    type: "tmpfs",
    flags: MS_NOSUID,
    data: "mode=755,size=65536k",
  });
  using dev = openBeneath(root, "/dev", { links: "in-root" });
  for (const device of devices) {
    makeDevice(root, dev, device);
  }
  for (const [name, target] of links) {
    symlinkSync(target, join(pathOf(dev), name));
  }
  using pts = directoryIn(root, "/dev/pts");
  mountPts(pts);
  using shmPlace = directoryIn(root, "/dev/shm");
  using shmSource = openPath(shm);
  using tree = cloneTree(shmSource, { isRecursive: false, path: shm });
  moveMount(tree, shmPlace, { path: "/dev/shm" });
  using queue = directoryIn(root, "/dev/mqueue");
  try {
    mount({ source: "mqueue", target: pathOf(queue), type: "mqueue", flags: safe });
  } catch {
    // Few programs use POSIX message queues, and not every kernel has them.
  }
}

/**
 * Root in a container may make devices (CAP_MKNOD), as everywhere; but they open nothing. The mount is for no devices, and those that are there become
 * mounts of their own, for which that does not hold.
 */
function admitNoFurtherDevices(root: OpenFile): void {
  using dev = openBeneath(root, "/dev", { links: "in-root" });
  using stack = new DisposableStack();
  const trees = devices.map(({ name }) => {
    const place = stack.use(openBeneath(root, `/dev/${name}`, { links: "in-root" }));
    return { place, tree: stack.use(cloneTree(place, { isRecursive: false })) };
  });
  mountSetattr(dev, { set: MOUNT_ATTR_NODEV, isRecursive: false });
  for (const { place, tree } of trees) {
    moveMount(tree, place);
  }
}

function makeDevice(
  root: OpenFile,
  dev: OpenFile,
  { name, ...device }: (typeof devices)[number],
): void {
  try {
    mknodat(dev.fd, { path: name, mode: S_IFCHR | 0o666, device });
  } catch (err) {
    if (!isErrno(err, "EPERM")) {
      throw err;
    }
    // In a user namespace nobody makes devices; the machine's own serve as well.
    using place = makeInRoot(root, `/dev/${name}`, { sort: "file", mode: 0o755 });
    using source = openPath(`/dev/${name}`);
    using tree = cloneTree(source, { isRecursive: false });
    moveMount(tree, place);
  }
}

function mountPts(place: OpenFile): void {
  const data = "newinstance,ptmxmode=0666,mode=0620";
  const target = pathOf(place);
  const flags = MS_NOSUID | MS_NOEXEC;
  try {
    // Group 5 is "tty" everywhere.
    mount({ source: "devpts", target, type: "devpts", flags, data: `${data},gid=5` });
  } catch (err) {
    if (!isErrno(err, "EINVAL")) {
      throw err;
    }
    // That group is not mapped in this user namespace.
    mount({ source: "devpts", target, type: "devpts", flags, data });
  }
}

const masked: readonly string[] = [
  "/proc/acpi",
  "/proc/asound",
  "/proc/interrupts",
  "/proc/kcore",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/proc/timer_list",
  "/proc/timer_stats",
  "/sys/devices/virtual/powercap",
  "/sys/firmware",
];

const readOnly: readonly string[] = [
  "/proc/bus",
  "/proc/fs",
  "/proc/irq",
  "/proc/sys",
  "/proc/sysrq-trigger",
];

/** After all other mounts, so that none of them uncovers anything. */
export function maskKernelFiles(root: OpenFile): void {
  for (const path of masked) {
    ifThere(root, path, (file) => hide(root, file));
  }
  for (const path of readOnly) {
    ifThere(root, path, (file) => bindReadOnly(file, file));
  }
}

/** A directory becomes empty, a file reads as nothing. */
export function hide(root: OpenFile, file: OpenFile): void {
  if (fstatSync(file.fd).isDirectory()) {
    mount({
      source: "tmpfs",
      target: pathOf(file),
      type: "tmpfs",
      flags: MS_RDONLY | safe,
      data: "size=0,nr_inodes=2,mode=755",
    });
    return;
  }
  using nothing = openBeneath(root, "/dev/null", { links: "in-root" });
  bindReadOnly(nothing, file);
}

export function ifThere(root: OpenFile, path: string, use: (file: OpenFile) => void): void {
  let file: OpenFile;
  try {
    file = openBeneath(root, path, { links: "in-root" });
  } catch (err) {
    if (isErrno(err, "ENOENT", "ENOTDIR")) {
      return;
    }
    throw err;
  }
  using opened = file;
  use(opened);
}

function bindReadOnly(source: OpenFile, place: OpenFile): void {
  using tree = cloneTree(source, { isRecursive: true });
  mountSetattr(tree, { set: MOUNT_ATTR_RDONLY, isRecursive: true });
  moveMount(tree, place);
}

function directoryIn(root: OpenFile, path: string): OpenFile {
  return makeInRoot(root, path, { sort: "directory", mode: 0o755 });
}

function openPath(path: string): OpenFile {
  return openat2({ dir: AT_FDCWD, path, flags: O_PATH, resolve: 0 });
}
