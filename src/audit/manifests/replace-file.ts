// Writes a file of somebody's so that it is the old one or the new one, whatever happens: a full disk must not cost a manifest.

import { chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { describe } from "../../base/errors.ts";
import { ManifestError } from "./manifest-file.ts";

/** Keeps its mode, and a link to it stays a link. Throws ManifestError. */
export function replaceFile(name: string, text: string): void {
  const file = realpathSync(name);
  const beside = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(beside, text, { flag: "wx" });
    chmodSync(beside, statSync(file).mode);
    renameSync(beside, file);
  } catch (err) {
    rmSync(beside, { force: true });
    throw new ManifestError(`${name}: it cannot be written: ${describe(err)}`, { cause: err });
  }
}
