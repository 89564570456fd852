// Reads a small file of an image without mounting it: its users and groups. Images are made by strangers, so links in them are
// followed as a container would follow them, never into the machine.

import { fstatSync, openSync, readSync } from "node:fs";
import { isErrno } from "../base/errors.ts";
import { openBeneath } from "../mounts/safe-path.ts";
import { openFile, pathOf } from "../mounts/system-calls.ts";
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
    // Looked at first: to open a pipe is to wait, and to open a device may be to do something to the machine.
    using place = openBeneath(layer, path.replace(/^\/+/, ""), { links: "in-root" });
    const stat = fstatSync(place.fd);
    // The device with no numbers, which says that a file of a lower layer is gone.
    if (stat.isCharacterDevice()) return "removed";
    if (!stat.isFile() || stat.size > MAX_BYTES) return undefined;
    using file = openFile(openSync(pathOf(place), "r"));
    const bytes = Buffer.alloc(stat.size);
    const length = readSync(file.fd, bytes, 0, bytes.length, 0);
    return { text: bytes.toString("utf8", 0, length) };
  } catch (err) {
    if (isErrno(err, "ENOENT", "ENOTDIR", "ELOOP")) return undefined;
    throw err;
  }
}
