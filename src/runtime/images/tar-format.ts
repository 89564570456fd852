// What is common to reading and writing tar archives: ustar, with pax headers for what does not fit. Names and attributes are bytes;
// they are held in strings with one character for each byte ("latin1"), so that they can be cut and compared.

export const BLOCK_BYTES = 512;

/** One character for each byte. */
export type ByteString = string;

export type TarType =
  | "file"
  | "hardlink"
  | "symlink"
  | "character"
  | "block"
  | "directory"
  | "fifo";

export interface TarHeader {
  readonly type: TarType;
  readonly name: ByteString;
  /** Of links. */
  readonly linkName: ByteString;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  /** Of devices. */
  readonly major: number;
  readonly minor: number;
  /** Extended attributes by name. */
  readonly attributes: ReadonlyMap<string, Uint8Array>;
}

export const TYPE_FLAGS: Readonly<Record<TarType, string>> = {
  file: "0",
  hardlink: "1",
  symlink: "2",
  character: "3",
  block: "4",
  directory: "5",
  fifo: "6",
};

export const ATTRIBUTE_KEY = "SCHILY.xattr.";

/** Offset and length of the fields of a header. */
export const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  linkName: [157, 100],
  magic: [257, 8],
  major: [329, 8],
  minor: [337, 8],
  prefix: [345, 155],
} as const;

/** How many bytes are behind `sizeBytes` to the end of the block. */
export function paddingOf(sizeBytes: number): number {
  return (BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES;
}

/** The sum of all bytes, with those of the checksum itself as spaces. */
export function checksumOf(block: Uint8Array): number {
  const [from, length] = FIELDS.checksum;
  let sum = 32 * length;
  for (let i = 0; i < BLOCK_BYTES; i++) {
    if (i < from || i >= from + length) sum += block[i] ?? 0;
  }
  return sum;
}
