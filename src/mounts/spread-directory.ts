// ext4 puts what is made in a directory near to it, and gives no inode out again within minutes after it was freed. Where many
// volumes get new versions, each new file then costs a walk over all files that were removed around it: with a hundred
// volumes, twenty times the work of writing them. Told that the directories in this one are unrelated, it keeps them apart.

import { closeSync, mkdirSync, openSync } from "node:fs";
import { call } from "./libc.ts";

const FS_IOC_GETFLAGS = 0x80086601;
const FS_IOC_SETFLAGS = 0x40086602;
/** `chattr +T` */
const FS_TOPDIR_FL = 0x20000;

/** Makes the directory if it is missing. Other file systems need no such word, and get none. */
export function spreadDirectory(path: string, { mode }: { readonly mode: number }): void {
  mkdirSync(path, { recursive: true, mode });
  const fd = openSync(path, "r");
  try {
    const flags = new Uint32Array(2);
    ioctl(fd, FS_IOC_GETFLAGS, flags, path);
    flags[0] = (flags[0] ?? 0) | FS_TOPDIR_FL;
    ioctl(fd, FS_IOC_SETFLAGS, flags, path);
  } catch {
    // Another file system, one that is read-only, somebody else's directory: it is a hint, and no more.
  } finally {
    closeSync(fd);
  }
}

function ioctl(fd: number, request: number, flags: Uint32Array, path: string): void {
  const prototype = "int ioctl(int fd, unsigned long request, void *flags)";
  call(prototype, [fd, request, new Uint8Array(flags.buffer)], { syscall: "ioctl", path });
}
