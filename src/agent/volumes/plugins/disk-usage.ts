// How much is below a directory in which somebody else writes, perhaps somebody who does not want it to be found: names are bytes that
// need not be text, paths may be longer than the kernel takes, and what cannot be read hides nothing but itself.

import { constants } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { isErrno } from "../../../base/errors.ts";

/** The unit of stat. */
const BLOCK_BYTES = 512;
/** From here on the way begins anew, at a directory that is open: the kernel takes 4096 bytes. */
const LONG_PATH_BYTES = 3000;
const SLASH: Buffer = Buffer.from("/");

interface Walk {
  readonly device: number;
  /** Files that were met and have other names. */
  readonly counted: Set<number>;
}

/** In bytes. Follows no link, stays on its file system, counts a file with several names once. Throws if there is no such directory. */
export async function diskUsage(directory: string): Promise<number> {
  const { dev: device, blocks } = await lstat(directory);
  const below = await usageBelow(Buffer.from(directory), { device, counted: new Set() });
  return (blocks + below) * BLOCK_BYTES;
}

/** In blocks. */
async function usageBelow(directory: Buffer, walk: Walk): Promise<number> {
  if (directory.length < LONG_PATH_BYTES) return usageOfEntries(directory, walk);
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  await using opened = await open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  return await usageOfEntries(Buffer.from(`/proc/self/fd/${opened.fd}`), walk);
}

async function usageOfEntries(directory: Buffer, walk: Walk): Promise<number> {
  let total = 0;
  for (const name of await readdir(directory, { encoding: "buffer" })) {
    total += await usageOf(Buffer.concat([directory, SLASH, name]), walk);
  }
  return total;
}

async function usageOf(path: Buffer, walk: Walk): Promise<number> {
  let known = 0;
  try {
    const stats = await lstat(path);
    const { dev, ino, nlink, blocks } = stats;
    const isDirectory = stats.isDirectory();
    const hasOthers = nlink > 1 && !isDirectory;
    if (dev !== walk.device || (hasOthers && walk.counted.has(ino))) return 0;
    if (hasOthers) walk.counted.add(ino);
    known = blocks;
    return isDirectory ? known + (await usageBelow(path, walk)) : known;
  } catch (err) {
    // Gone meanwhile, or something else now; or closed to us, if we are not root.
    if (isErrno(err, "ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM")) return known;
    throw err;
  }
}
