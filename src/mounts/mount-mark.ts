// Which mount it is, and which file it shows. The kernel gives the number of a mount that is gone to another one; but as long as a
// mount is there, its file has its number to itself, on the disk too. So both together are never another's.

import { type BigIntStats, fstatSync } from "node:fs";
import { call } from "./libc.ts";
import { AT_EMPTY_PATH, type OpenFile } from "./system-calls.ts";

export interface MountMark {
  /** As mountinfo has it. */
  readonly id: number;
  readonly file: FileMark;
}

export interface FileMark {
  /** "DEVICE:INODE" */
  readonly inode: string;
  readonly isDirectory: boolean;
}

/** The mount that the descriptor is on. */
export function markOf(file: OpenFile): MountMark {
  return { id: mountStatus(file).id, file: fileMark(file) };
}

export function fileMark({ fd }: OpenFile): FileMark {
  const stats = fstatSync(fd, { bigint: true });
  return { inode: inodeOf(stats), isDirectory: stats.isDirectory() };
}

function inodeOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

export function isSameMount(a: MountMark, b: MountMark): boolean {
  return a.id === b.id && a.file.inode === b.file.inode;
}

const STATX_MNT_ID = 0x1000;
const STATX_ATTR_MOUNT_ROOT = 0x2000n;

export interface MountStatus {
  readonly id: number;
  /** What the descriptor names is the root of its mount: something is mounted right there. */
  readonly isRoot: boolean;
}

export function mountStatus(file: OpenFile): MountStatus {
  const statx = new DataView(new ArrayBuffer(256));
  call(
    "int statx(int dir, const char *path, int flags, unsigned int mask, void *buffer)",
    [file.fd, "", AT_EMPTY_PATH, STATX_MNT_ID, new Uint8Array(statx.buffer)],
    { syscall: "statx" },
  );
  // stx_mask, stx_attributes and stx_mnt_id of struct statx.
  if ((statx.getUint32(0, true) & STATX_MNT_ID) === 0) {
    throw new Error("The kernel does not tell which mount a file is on: use Linux 5.8 or later");
  }
  return {
    id: Number(statx.getBigUint64(144, true)),
    isRoot: (statx.getBigUint64(8, true) & STATX_ATTR_MOUNT_ROOT) !== 0n,
  };
}
