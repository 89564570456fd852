// The version of a set of files, and of what ConfigMaps and Secrets hold: one SHA-256 over paths (keys) and contents, the same for the same content
// wherever and whenever it is written. Modes and owners are not part of it. @driftless/config
// computes the same hash from what it reads; `test/version-agreement.test.ts` holds the two
// together.

import { createHash, createHmac, hash } from "node:crypto";

/** How many hex digits people are shown. 40 bits: enough to tell the versions of one object apart. */
export const SHORT_VERSION_DIGITS = 10;

/** As people are shown it. */
export function shortVersion(version: string): string {
  return version.slice(0, SHORT_VERSION_DIGITS);
}

/** One call is faster than a Hash object, but wants its input in one piece; copying a large one costs more. */
const MAX_BYTES_AT_ONCE = 65_536;

/**
 * `files` must be sorted by `compareUtf8`. Each file adds `<path bytes> <content bytes>\n`, its
 * path and its content: the lengths first, so that no two sets of files add up to the same bytes.
 */
export function versionOf(
  files: Iterable<{ readonly path: string; readonly data: Uint8Array }>,
): string {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for (const { path, data } of files) {
    const header = `${Buffer.byteLength(path)} ${data.length}\n${path}`;
    pieces.push(Buffer.from(header), data);
    bytes += header.length + data.length;
  }
  if (bytes <= MAX_BYTES_AT_ONCE) return hash("sha256", Buffer.concat(pieces), "hex");
  const sum = createHash("sha256");
  for (const piece of pieces) sum.update(piece);
  return sum.digest("hex");
}

/** Orders strings as their UTF-8 bytes would be ordered, without encoding them. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return codePointOrder(x) - codePointOrder(y);
  }
  return a.length - b.length;
}

/** UTF-16 puts surrogates (code points from U+10000) below U+E000 to U+FFFF; UTF-8 above. */
function codePointOrder(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/**
 * The version of what a ConfigMap or Secret holds, or of those of its keys that somebody uses. A Secret's is keyed with its uid, which only
 * those know who may read the Secret: from the version in a report nobody can try out passwords.
 */
export function contentVersion(
  { kind, uid }: { readonly kind: "ConfigMap" | "Secret"; readonly uid: string },
  content: ReadonlyMap<string, Uint8Array>,
): string {
  const sorted = [...content].toSorted(([a], [b]) => compareUtf8(a, b));
  const plain = versionOf(sorted.map(([path, data]) => ({ path, data })));
  return kind === "Secret" ? createHmac("sha256", uid).update(plain).digest("hex") : plain;
}
