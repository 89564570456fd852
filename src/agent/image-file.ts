// Reads a small file of an image without mounting it: its users and groups. Images are made by strangers, so links in them are
// followed as a container would follow them, never into the machine.

import { constants, fstatSync, readSync } from "node:fs";
import { isErrno } from "../base/errors.ts";
import { openBeneath } from "../mounts/safe-path.ts";
import type { Image } from "../runtime/image.ts";

/** Nobody has as many users. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Of the upmost layer that has it; undefined if none has, or if a layer has removed it. */
export async function imageFile({ layers }: Image, path: string): Promise<string | undefined> {
  for (const layer of layers) {
    const found = read(layer, path);
    if (found === "removed") return undefined;
    if (found !== undefined) return found.text;
  }
  return undefined;
}

function read(layer: string, path: string): { readonly text: string } | "removed" | undefined {
  try {
    // A device or a pipe by this name must not make the agent wait.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK;
    using file = openBeneath(layer, path.replace(/^\/+/, ""), { links: "in-root", flags });
    const stat = fstatSync(file.fd);
    if (stat.isCharacterDevice()) return "removed";
    if (!stat.isFile() || stat.size > MAX_BYTES) return undefined;
    const bytes = Buffer.alloc(stat.size);
    const length = readSync(file.fd, bytes, 0, bytes.length, 0);
    return { text: bytes.toString("utf8", 0, length) };
  } catch (err) {
    // ENXIO and ENODEV: the device with no numbers, which says that a file of a lower layer is gone.
    if (isErrno(err, "ENXIO", "ENODEV")) return "removed";
    if (isErrno(err, "ENOENT", "ENOTDIR", "ELOOP")) return undefined;
    throw err;
  }
}
