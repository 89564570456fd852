// The version id: what makes two sets of files "the same" anywhere. The writer of Driftless volumes
// computes it the same way, so both sides can compare without talking.

import * as crypto from "node:crypto";

// From U+D800 on, the order of UTF-16 units is not the order of UTF-8 bytes.
const unordered = /[\ud800-\uffff]/;

/**
 * Sorted by the bytes of their UTF-8 form.
 * @param {Iterable<string>} paths
 */
export function sortBytewise(paths) {
  const list = [...paths];
  if (!list.some((path) => unordered.test(path))) return list.sort();
  return list
    .map((path) => Buffer.from(path))
    .sort((a, b) => a.compare(b))
    .map((bytes) => bytes.toString());
}

// One call is faster than a Hash object, by more than reading a small file takes; but it wants its
// input in one piece, and copying a large one costs more than it gains.
const maxBytesAtOnce = 65_536;

/**
 * SHA-256 in hex over all files, sorted bytewise by path. Each contributes the header
 * `<path byte length> <content byte length>\n`, then its path, then its content; the lengths keep
 * two different sets from having the same concatenation.
 * @param {ReadonlyMap<string, Uint8Array>} entries
 */
export function versionOf(entries) {
  /** @type {Uint8Array[]} */
  const pieces = [];
  let bytes = 0;
  for (const path of sortBytewise(entries.keys())) {
    const content = entries.get(path) ?? new Uint8Array();
    const header = `${Buffer.byteLength(path)} ${content.byteLength}\n${path}`;
    pieces.push(Buffer.from(header), content);
    bytes += header.length + content.byteLength;
  }
  // Node 20 has the one call since 20.12.
  if (bytes <= maxBytesAtOnce && typeof crypto.hash === "function") {
    return crypto.hash("sha256", Buffer.concat(pieces), "hex");
  }
  const hash = crypto.createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
}
