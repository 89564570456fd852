// Tidying up after what was removed: a directory goes if nothing is left in it, or mounted on it.

import { rmdirSync } from "node:fs";
import { isErrno } from "../base/errors.ts";

export function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch (err) {
    if (!isErrno(err, "ENOENT", "ENOTEMPTY", "EEXIST", "EBUSY")) throw err;
  }
}
