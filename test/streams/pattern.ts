// Many bytes that repeat in no way that a lost or doubled piece could hide behind.

import { createHash } from "node:crypto";
import { once } from "node:events";
import type { Writable } from "node:stream";

const blockBytes = 1_048_576;

/** Writes so many MiB, ends the stream, and returns their SHA-256. */
export async function writePattern(to: Writable, megabytes: number): Promise<string> {
  const hash = createHash("sha256");
  for (let block = 0; block < megabytes; block++) {
    const words = new Uint32Array(blockBytes / 4);
    for (let at = 0; at < words.length; at++) {
      words[at] = Math.imul(block * words.length + at, 2_654_435_761);
    }
    const bytes = Buffer.from(words.buffer);
    hash.update(bytes);
    if (!to.write(bytes)) await once(to, "drain");
  }
  to.end();
  return hash.digest("hex");
}
