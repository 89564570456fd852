// What is in a directory that may not be there.

import { readdirSync } from "node:fs";
import { isErrno } from "../base/errors.ts";

export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (err) {
    if (isErrno(err, "ENOENT")) return [];
    throw err;
  }
}
