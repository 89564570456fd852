// A disk that is really full.

import { closeSync, ftruncateSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isErrno } from "../../src/base/errors.ts";

/** Takes every byte of a file system but the last `leavesBytes`, until it is disposed of. For small ones: a tmpfs of a test's own. */
export function fillDisk(root: string, leavesBytes = 0): Disposable {
  const path = join(root, "ballast");
  const fd = openSync(path, "w");
  const { bavail, bsize } = statfsSync(root);
  let written = 0;
  for (const size of [bavail * bsize, 2 ** 20, 4096]) {
    written += writeUntilFull(fd, Buffer.alloc(size));
  }
  ftruncateSync(fd, Math.max(0, written - leavesBytes));
  closeSync(fd);
  return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
}

function writeUntilFull(fd: number, bytes: Buffer): number {
  let written = 0;
  try {
    for (;;) written += writeSync(fd, bytes);
  } catch (err) {
    if (!isErrno(err, "ENOSPC")) throw err;
  }
  return written;
}
