// What a dry run can know of an output without writing: whether something is in its way.

import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { describe } from "../../base/errors.ts";

/** Why nothing could be written there, as far as looking tells; the directory itself may be missing. */
export function obstacleTo(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  const parent = dirname(path);
  if (stats === undefined && parent !== path) return obstacleTo(parent);
  if (stats?.isDirectory() !== true) return `${path} is no directory`;
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (err) {
    return `cannot write in ${path}: ${describe(err)}`;
  }
}
