// Writes tar archives as a stream: ustar, with a pax header for what does not fit.

import {
  ATTRIBUTE_KEY,
  BLOCK_BYTES,
  checksumOf,
  FIELDS,
  paddingOf,
  type TarHeader,
  TYPE_FLAGS,
} from "./tar-format.ts";

export interface TarSource extends TarHeader {
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

type Field = readonly [offset: number, length: number];

/** Its entries must not lie about their size: it throws then. */
export async function* writeTar(
  entries: AsyncIterable<TarSource> | Iterable<TarSource>,
): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    const records = recordsOf(entry);
    if (records.length > 0) {
      const extra = { ...entry, name: "pax", linkName: "", sizeBytes: records.length };
      yield headerBlock(extra, "x");
      yield padded(records);
    }
    yield headerBlock(entry, TYPE_FLAGS[entry.type]);
    let written = 0;
    for await (const bytes of entry.content) {
      written += bytes.length;
      yield bytes;
    }
    if (written !== entry.sizeBytes) {
      throw new Error(`Cannot archive "${entry.name}": it changed its size while it was read`);
    }
    yield Buffer.alloc(paddingOf(written));
  }
  yield Buffer.alloc(2 * BLOCK_BYTES);
}

function headerBlock(header: TarHeader, flag: string): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  block.write(header.name, FIELDS.name[0], FIELDS.name[1], "latin1");
  writeOctal(block, FIELDS.mode, header.mode);
  writeOctal(block, FIELDS.uid, header.uid);
  writeOctal(block, FIELDS.gid, header.gid);
  writeOctal(block, FIELDS.size, header.sizeBytes);
  writeOctal(block, FIELDS.mtime, Math.max(0, Math.floor(header.mtimeMs / 1000)));
  block.write(flag, FIELDS.type[0], "latin1");
  block.write(header.linkName, FIELDS.linkName[0], FIELDS.linkName[1], "latin1");
  block.write("ustar\x0000", FIELDS.magic[0], "latin1");
  writeOctal(block, FIELDS.major, header.major);
  writeOctal(block, FIELDS.minor, header.minor);
  writeOctal(block, FIELDS.checksum, checksumOf(block));
  return block;
}

/** What does not fit is in the pax header. */
function writeOctal(block: Buffer, [offset, length]: Field, value: number): void {
  const text = value.toString(8);
  block.write(text.length < length ? text.padStart(length - 1, "0") : "0", offset, "latin1");
}

function recordsOf(header: TarHeader): Buffer {
  const { name, linkName, uid, gid, sizeBytes, mtimeMs, attributes } = header;
  const records: Buffer[] = [];
  const add = (key: string, value: string | Uint8Array): void => {
    records.push(recordOf(key, typeof value === "string" ? Buffer.from(value, "latin1") : value));
  };
  if (name.length > FIELDS.name[1]) add("path", name);
  if (linkName.length > FIELDS.linkName[1]) add("linkpath", linkName);
  if (uid > 0o7777777) add("uid", String(uid));
  if (gid > 0o7777777) add("gid", String(gid));
  if (sizeBytes > 0o77777777777) add("size", String(sizeBytes));
  if (mtimeMs % 1000 !== 0) add("mtime", (mtimeMs / 1000).toFixed(3));
  for (const [attribute, value] of attributes) add(`${ATTRIBUTE_KEY}${attribute}`, value);
  return Buffer.concat(records);
}

/** Its length counts the digits of the length. */
function recordOf(key: string, value: Uint8Array): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from("\n")]);
  let length = rest.length;
  while (length !== rest.length + String(length).length)
    length = rest.length + String(length).length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

function padded(bytes: Uint8Array): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(paddingOf(bytes.length))]);
}
