// Reads tar archives as a stream: ustar, pax, and GNU's long names and numbers. It knows no files: what becomes of an entry is the caller's matter.
// It is our own because none of the libraries keeps bytes as they are (names that are not text, file capabilities).

import { ByteReader } from "./byte-reader.ts";
import {
  ATTRIBUTE_KEY,
  BLOCK_BYTES,
  type ByteString,
  checksumOf,
  FIELDS,
  paddingOf,
  type TarHeader,
  type TarType,
  TYPE_FLAGS,
} from "./tar-format.ts";

export interface TarEntry extends TarHeader {
  /** Where its content begins in the archive. */
  readonly offset: number;
  /** To be read before the next entry is asked for; what is not read is skipped. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** The archive is damaged, or of a kind that is not known. */
export class TarError extends Error {
  override readonly name = "TarError";
}

/** Of a pax header or a long name. Real ones are a few KiB; a limit keeps a forged one from taking all memory. */
const MAX_EXTRA_BYTES = 1024 * 1024;
const CONTENT_BYTES = 256 * 1024;

type Records = ReadonlyMap<string, Buffer>;

/** What was said before an entry about it, or about all that follow. */
interface Extras {
  readonly global: Records;
  /** With the global ones. */
  readonly records: Records;
  readonly name: ByteString | undefined;
  readonly linkName: ByteString | undefined;
}

const noExtras: Extras = {
  global: new Map(),
  records: new Map(),
  name: undefined,
  linkName: undefined,
};

const typesByFlag = new Map<string, TarType>([
  ...Object.entries(TYPE_FLAGS).map(([type, flag]) => [flag, type as TarType] as const),
  ["\0", "file"],
  ["7", "file"],
]);

export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const reader = new ByteReader(source);
  try {
    let extras = noExtras;
    for (;;) {
      const block = await nextHeader(reader);
      if (block === undefined) return;
      const flag = textOf(block, FIELDS.type) || "\0";
      if ("xgLK".includes(flag)) {
        const bytes = await readExtra(reader, numberOf(block, FIELDS.size));
        extras = withExtra(extras, flag, bytes);
      } else {
        const header = headerOf(block, flag, extras);
        extras = { ...noExtras, global: extras.global, records: extras.global };
        yield* entryOf(reader, header);
      }
    }
  } finally {
    await reader.close();
  }
}

async function* entryOf(reader: ByteReader, header: TarHeader): AsyncGenerator<TarEntry> {
  const { offset } = reader;
  const end = offset + header.sizeBytes;
  async function* content(): AsyncGenerator<Uint8Array> {
    while (reader.offset < end) {
      const bytes = await reader.some(Math.min(CONTENT_BYTES, end - reader.offset));
      if (bytes.length === 0) throw truncated(reader.offset);
      yield bytes;
    }
  }
  yield { ...header, offset, content: content() };
  const rest = end + paddingOf(header.sizeBytes) - reader.offset;
  // Some archives end without the padding of their last entry.
  if ((await reader.skip(rest)) < rest && reader.offset < end) throw truncated(reader.offset);
}

async function nextHeader(reader: ByteReader): Promise<Buffer | undefined> {
  const { offset } = reader;
  const block = await reader.take(BLOCK_BYTES);
  if (block.length === 0 || block.every((byte) => byte === 0)) return undefined;
  if (block.length < BLOCK_BYTES) throw truncated(reader.offset);
  if (Number.parseInt(textOf(block, FIELDS.checksum), 8) !== checksumOf(block)) {
    throw new TarError(`Cannot read the archive: it has no valid tar header at byte ${offset}`);
  }
  return block;
}

async function readExtra(reader: ByteReader, sizeBytes: number): Promise<Buffer> {
  if (sizeBytes > MAX_EXTRA_BYTES) {
    throw new TarError(`Cannot read the archive: a header of ${sizeBytes} bytes is too long`);
  }
  const bytes = Buffer.from(await reader.take(sizeBytes));
  if (bytes.length < sizeBytes) throw truncated(reader.offset);
  await reader.skip(paddingOf(sizeBytes));
  return bytes;
}

function withExtra(extras: Extras, flag: string, bytes: Buffer): Extras {
  if (flag === "x") {
    return { ...extras, records: bounded(new Map([...extras.records, ...recordsOf(bytes)])) };
  }
  if (flag === "g") {
    const global = bounded(new Map([...extras.global, ...recordsOf(bytes)]));
    return { ...extras, global, records: new Map([...global, ...extras.records]) };
  }
  const text = textOf(bytes, [0, bytes.length]);
  return flag === "L" ? { ...extras, name: text } : { ...extras, linkName: text };
}

/** Any number of headers may add to what is remembered for the entries that follow. */
function bounded(records: Records): Records {
  const total = [...records].reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  if (total <= MAX_EXTRA_BYTES) return records;
  throw new TarError(
    `Cannot read the archive: its pax headers say more than ${MAX_EXTRA_BYTES} bytes`,
  );
}

/** "30 mtime=1731736736.123456789\n…": lengths are of bytes and count themselves; values may be any bytes. */
function recordsOf(bytes: Buffer): Records {
  const records = new Map<string, Buffer>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(bytes.toString("latin1", at, space));
    const equals = bytes.indexOf(0x3d, space);
    const end = at + length;
    const isWhole = space > at && equals > space && equals < end && end <= bytes.length;
    if (!isWhole || bytes[end - 1] !== 0x0a) {
      throw new TarError("Cannot read the archive: it has a damaged pax header");
    }
    // A copy: a short value must not keep the whole header in memory.
    const value = Buffer.from(bytes.subarray(equals + 1, end - 1));
    records.set(bytes.toString("latin1", space + 1, equals), value);
    at = end;
  }
  return records;
}

function headerOf(block: Buffer, flag: string, { records, name, linkName }: Extras): TarHeader {
  const path = byteString(records, "path") ?? name ?? nameOf(block);
  const type = typeOf(flag, path, records);
  return {
    type,
    name: path,
    linkName: byteString(records, "linkpath") ?? linkName ?? textOf(block, FIELDS.linkName),
    mode: numberOf(block, FIELDS.mode) & 0o7777,
    uid: decimal(records, "uid") ?? numberOf(block, FIELDS.uid),
    gid: decimal(records, "gid") ?? numberOf(block, FIELDS.gid),
    // The others have none, whatever some writers say.
    sizeBytes: type === "file" ? (decimal(records, "size") ?? numberOf(block, FIELDS.size)) : 0,
    mtimeMs: Math.round((decimal(records, "mtime") ?? numberOf(block, FIELDS.mtime)) * 1000),
    major: numberOf(block, FIELDS.major),
    minor: numberOf(block, FIELDS.minor),
    attributes: attributesOf(records),
  };
}

function typeOf(flag: string, path: ByteString, records: Records): TarType {
  const type = typesByFlag.get(flag);
  const isSparse = [...records.keys()].some((key) => key.startsWith("GNU.sparse."));
  if (type === undefined || isSparse) {
    const what = isSparse ? "sparse" : `of type ${JSON.stringify(flag)}`;
    throw new TarError(
      `Cannot read the entry ${quoted(path)}: entries that are ${what} are not known`,
    );
  }
  // Before there were directories in archives, there were names like this.
  return flag === "\0" && path.endsWith("/") ? "directory" : type;
}

function nameOf(block: Buffer): ByteString {
  const name = textOf(block, FIELDS.name);
  // GNU's own format has other things where the prefix is.
  const isPosix = block.toString("latin1", 257, 263) === "ustar\0";
  const prefix = isPosix ? textOf(block, FIELDS.prefix) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

function attributesOf(records: Records): ReadonlyMap<string, Uint8Array> {
  const found = [...records].filter(([key]) => key.startsWith(ATTRIBUTE_KEY));
  return new Map(found.map(([key, value]) => [key.slice(ATTRIBUTE_KEY.length), value]));
}

function byteString(records: Records, key: string): ByteString | undefined {
  const value = records.get(key)?.toString("latin1");
  return value === "" ? undefined : value;
}

function decimal(records: Records, key: string): number | undefined {
  const text = byteString(records, key);
  if (text === undefined) return undefined;
  const value = Number(text);
  const isGood = /^-?\d+(\.\d*)?$/.test(text) && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (isGood && (value >= 0 || key === "mtime")) return value;
  throw new TarError(`Cannot read the archive: ${key} is ${JSON.stringify(text)} in a pax header`);
}

function textOf(block: Buffer, [from, length]: readonly [number, number]): ByteString {
  const text = block.toString("latin1", from, from + length);
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}

/** Octal digits; or, with the highest bit set, a binary number, as GNU writes what does not fit. */
function numberOf(block: Buffer, field: readonly [number, number]): number {
  const [from, length] = field;
  const first = block[from] ?? 0;
  if ((first & 0x80) !== 0) {
    // Negative: only times can be, and nothing is lost with the beginning of time for those before it.
    if (first === 0xff) return 0;
    const value = block
      .subarray(from + 1, from + length)
      .reduce((sum, byte) => sum * 256 + byte, first & 0x7f);
    if (Number.isSafeInteger(value)) return value;
    throw new TarError("Cannot read the archive: it has a number that is too large");
  }
  const text = textOf(block, field).trim();
  if (text === "") return 0;
  if (!/^[0-7]+$/.test(text))
    throw new TarError("Cannot read the archive: it has a damaged number");
  return Number.parseInt(text, 8);
}

/** A name of bytes for people. */
export function quoted(name: ByteString): string {
  return JSON.stringify(Buffer.from(name, "latin1").toString("utf8"));
}

function truncated(offset: number): TarError {
  return new TarError(`Cannot read the archive: it ends in the middle, after ${offset} bytes`);
}
