// Removes a directory with all that is in it, whatever its former owner made of it: a path may be longer than any that the
// kernel takes, since directories can be made one in another without ever naming the whole.

import { readdir, rename, rm } from "node:fs/promises";
import { isErrno } from "../base/errors.ts";

/** Does nothing if it is not there. Follows no links. Nobody else may be at work in it. */
export async function removeTree(path: string): Promise<void> {
  try {
    await remove(path);
  } catch (err) {
    if (!isErrno(err, "ENAMETOOLONG")) throw err;
    await flatten(path);
    await remove(path);
  }
}

/** Again after an instant if something is busy: a process that was killed may not be gone altogether. */
function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 3 });
}

/** Moves all directories below up into the first one, so that all paths are short. Names are bytes: not all of them are text. */
async function flatten(root: string): Promise<void> {
  const top = Buffer.from(root);
  const waiting: Buffer[] = [top];
  let count = 0;
  const moveUp = async (path: Buffer): Promise<Buffer> => {
    for (;;) {
      const target = Buffer.from(`${root}/flat-${count++}`);
      try {
        await rename(path, target);
        return target;
      } catch (err) {
        // Somebody has taken that name, perhaps on purpose. There are more.
        if (!isErrno(err, "EEXIST", "ENOTEMPTY", "ENOTDIR")) throw err;
      }
    }
  };
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of await readdir(at, { withFileTypes: true, encoding: "buffer" })) {
      if (!entry.isDirectory()) continue;
      const path = Buffer.concat([at, Buffer.from("/"), entry.name]);
      waiting.push(at === top ? path : await moveUp(path));
    }
  }
}
