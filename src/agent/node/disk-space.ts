// How much room the file system of a directory has: one system call.

import { statfs } from "node:fs/promises";

export interface DiskSpace {
  readonly totalBytes: number;
  /** For everybody, not only for root. */
  readonly freeBytes: number;
  /** 0 on file systems that have no fixed number. */
  readonly totalInodes: number;
  readonly freeInodes: number;
}

export async function diskSpace(directory: string): Promise<DiskSpace> {
  const { bsize, blocks, bavail, files, ffree } = await statfs(directory);
  return {
    totalBytes: blocks * bsize,
    freeBytes: bavail * bsize,
    totalInodes: files,
    freeInodes: ffree,
  };
}
